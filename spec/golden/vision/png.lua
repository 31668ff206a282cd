-- torchvision.io: PNG written and read again, and files of spec/vision/files, which Pillow wrote.
local torch = require "torch"
local io_ = require "torchvision.io"
local function say(name, t)
  local weights = torch.remainder(torch.arange(t:numel(), {dtype = torch.float64}), 97) + 1
  print(name, t.shape, t.dtype, ("%d"):format((t:reshape(-1):to(torch.float64) * weights):sum():item()))
end
torch.manual_seed(2)
local colors = torch.randint(0, 256, {3, 17, 23}, {dtype = torch.uint8})
local gray = colors["0:1"]
say("png", io_.decode_png(io_.encode_png(colors)))
say("png 1", io_.decode_image(io_.encode_png(gray, 9)))
for _, mode in ipairs {"UNCHANGED", "GRAY", "GRAY_ALPHA", "RGB", "RGB_ALPHA"} do
  for _, name in ipairs {"rgba.png", "pal8.png"} do say(name .. " " .. mode, io_.read_image("spec/vision/files/" .. name, mode)) end
end
local path = os.tmpname()
io_.write_png(colors, path)
say("written png", io_.decode_png(io_.read_file(path)))
os.remove(path)
