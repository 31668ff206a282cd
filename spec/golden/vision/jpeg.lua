-- with libjpeg: torchvision.io: JPEG written and read again, and files of spec/vision/files, which Pillow wrote.
local torch = require "torch"
local io_ = require "torchvision.io"
local function say(name, t)
  local weights = torch.remainder(torch.arange(t:numel(), {dtype = torch.float64}), 97) + 1
  print(name, t.shape, t.dtype, ("%d"):format((t:reshape(-1):to(torch.float64) * weights):sum():item()))
end
torch.manual_seed(2)
local colors = torch.randint(0, 256, {3, 17, 23}, {dtype = torch.uint8})
local gray = colors["0:1"]
say("jpeg", io_.decode_jpeg(io_.encode_jpeg(colors)))
say("jpeg 1", io_.decode_image(io_.encode_jpeg(gray, {quality = 40})))
for _, mode in ipairs {"UNCHANGED", "GRAY", "RGB"} do
  for _, name in ipairs {"rgb.jpg", "cmyk.jpg", "prog.jpg"} do say(name .. " " .. mode, io_.read_image("spec/vision/files/" .. name, mode)) end
end
say("turned", io_.read_image("spec/vision/files/ex6.jpg", {apply_exif_orientation = true}))
local path = os.tmpname()
io_.write_jpeg(colors, path, 90)
say("written jpeg", io_.read_image(path, "RGB"))
os.remove(path)
local _, e = pcall(io_.encode_jpeg, colors, 0)
print((tostring(e):gsub("\n.*", "")))
