-- pictures.lua FOLDER: writes 128 JPEG files of 500 x 375 in four classes, like a camera's: shapes with some noise. Existing
-- files are kept.
local torch = require "torch"
local io_ = torch.vision.io
local folder = arg[1]

local function picture()
  local shapes = torch.nn.functional.interpolate(torch.rand(1, 3, 12, 16), {size = {375, 500}, mode = "bicubic"})
  return ((shapes + 0.03 * torch.randn(1, 3, 375, 500)):clamp(0, 1) * 255):to(torch.uint8)[0]
end

torch.manual_seed(1)
for i = 1, 128 do
  local class = ("%s/%s"):format(folder, ("abcd"):sub(i % 4 + 1, i % 4 + 1))
  local name = ("%s/%03d.jpg"):format(class, i)
  local file = io.open(name)
  if file then
    file:close()
  else
    if i <= 4 then os.execute(("mkdir -p '%s'"):format(class)) end
    io_.write_jpeg(picture(), name)
  end
end
