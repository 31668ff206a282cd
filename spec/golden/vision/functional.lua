-- The functions of torchvision.transforms.functional on images of bytes and of floats.
local torch = require "torch"
local F = require "torchvision.transforms.functional"
torch.manual_seed(3)
local bytes = torch.randint(0, 256, {3, 9, 11}, {dtype = torch.uint8})
local floats = torch.rand(3, 9, 11)
local modes = require("torchvision.transforms").InterpolationMode

-- Shape, dtype and a weighted sum: of floats with one digit behind the point.
local function say(name, t)
  local n = t:numel()
  local weights = torch.remainder(torch.arange(n, {dtype = torch.float64}), 97) + 1
  local sum = (t:reshape(-1):to(torch.float64) * weights):sum():item()
  print(name, t.shape, t.dtype, t.dtype.is_floating_point and ("%.1f"):format(sum) or ("%d"):format(sum))
end
local function both(name, f)
  say(name .. " bytes", f(bytes))
  say(name .. " floats", f(floats))
end

both("hflip", function(x) return F.hflip(x) end)
both("vflip", function(x) return F.vflip(x) end)
both("crop", function(x) return F.crop(x, 2, 3, 4, 5) end)
both("crop outside", function(x) return F.crop(x, -2, 7, 6, 8) end)
both("center_crop", function(x) return F.center_crop(x, {5, 4}) end)
both("center_crop larger", function(x) return F.center_crop(x, {12, 6}) end)
for _, mode in ipairs {"constant", "edge", "reflect", "symmetric"} do
  both("pad " .. mode, function(x) return F.pad(x, {1, 2, 3, 0}, {fill = 1, padding_mode = mode}) end)
  both("pad one " .. mode, function(x) return F.pad(x, 2, {padding_mode = mode}) end)
end
both("resize", function(x) return F.resize(x, {5, 7}) end)
both("resize short", function(x) return F.resize(x, 6) end)
both("resize up", function(x) return F.resize(x, {20, 17}) end)
both("resize max", function(x) return F.resize(x, 6, {max_size = 7}) end)
both("resize sharp", function(x) return F.resize(x, {5, 7}, {antialias = false}) end)
both("resize nearest", function(x) return F.resize(x, {5, 7}, modes.NEAREST) end)
both("resize nearest exact", function(x) return F.resize(x, {5, 7}, modes.NEAREST_EXACT) end)
both("resize bicubic", function(x) return F.resize(x, {5, 7}, modes.BICUBIC) end)
both("resized_crop", function(x) return F.resized_crop(x, 1, 1, 6, 7, {4, 5}) end)
for i, part in ipairs(F.five_crop(bytes, 4)) do say("five_crop " .. i, part) end
for i, part in ipairs(F.ten_crop(floats, {3, 4})) do say("ten_crop " .. i, part) end

both("gray", function(x) return F.rgb_to_grayscale(x) end)
both("gray 3", function(x) return F.rgb_to_grayscale(x, 3) end)
for _, factor in ipairs {0.0, 0.4, 1.7} do
  both("brightness " .. factor, function(x) return F.adjust_brightness(x, factor) end)
  both("contrast " .. factor, function(x) return F.adjust_contrast(x, factor) end)
  both("saturation " .. factor, function(x) return F.adjust_saturation(x, factor) end)
  both("sharpness " .. factor, function(x) return F.adjust_sharpness(x, factor) end)
  both("gamma " .. factor, function(x) return F.adjust_gamma(x, factor, {gain = 1.2}) end)
end
for _, factor in ipairs {-0.5, -0.1, 0.0, 0.3} do both("hue " .. factor, function(x) return F.adjust_hue(x, factor) end) end
both("invert", function(x) return F.invert(x) end)
both("autocontrast", function(x) return F.autocontrast(x) end)
for bits = 0, 8 do say("posterize " .. bits, F.posterize(bytes, bits)) end
say("equalize", F.equalize(torch.randint(30, 200, {3, 40, 50}, {dtype = torch.uint8})))
say("equalize flat", F.equalize(bytes // 100))
say("solarize", F.solarize(bytes, 100))
say("solarize floats", F.solarize(floats, 0.3))
both("blur", function(x) return F.gaussian_blur(x, {3, 5}, {0.7, 1.3}) end)
both("blur default", function(x) return F.gaussian_blur(x, 3) end)

both("rotate", function(x) return F.rotate(x, 33.0) end)
both("rotate 90", function(x) return F.rotate(x, 90, {expand = true}) end)
both("rotate fill", function(x) return F.rotate(x, -20.0, {fill = {0.5, 0.25, 1.0}}) end)
both("rotate bilinear", function(x) return F.rotate(x, 33.0, modes.BILINEAR, {expand = true, fill = {1.0}}) end)
both("rotate center", function(x) return F.rotate(x, 12.0, {center = {2, 3}}) end)
both("affine", function(x) return F.affine(x, 15.0, {1, -2}, 1.2, {5.0, 3.0}) end)
both("affine bilinear", function(x) return F.affine(x, -15.0, {2, 1}, 0.8, {0.0, 10.0}, {interpolation = modes.BILINEAR, fill = {0.5}, center = {1, 1}}) end)
local from, to = {{0, 0}, {10, 0}, {10, 8}, {0, 8}}, {{1, 1}, {9, 0}, {10, 7}, {0, 6}}
both("perspective", function(x) return F.perspective(x, from, to) end)
both("perspective nearest", function(x) return F.perspective(x, from, to, modes.NEAREST, {fill = {0.5}}) end)

say("to floats", F.convert_image_dtype(bytes))
for _, dtype in ipairs {"uint8", "int8", "int16"} do
  say("of floats " .. dtype, F.convert_image_dtype(floats, torch[dtype]))
  say("of bytes " .. dtype, F.convert_image_dtype(bytes, torch[dtype]))
  say("back " .. dtype, F.convert_image_dtype(F.convert_image_dtype(floats, torch[dtype]), torch.uint8))
end
say("int32", F.convert_image_dtype(bytes, torch.int32))
say("normalize", F.normalize(floats, {0.4, 0.5, 0.6}, {0.2, 0.3, 0.4}))
say("erase", F.erase(floats, 1, 2, 3, 4, torch.ones(3, 3, 4)))
for _, f in ipairs {
  function() return F.convert_image_dtype(floats, torch.int32) end,
  function() return F.adjust_hue(floats, 0.7) end,
  function() return F.adjust_brightness(floats, -1.0) end,
  function() return F.normalize(bytes, {0.5}, {0.5}) end,
  function() return F.normalize(floats, {0.5}, {0.0}) end,
  function() return F.pad(bytes, {1, 2, 3}) end,
  function() return F.pad(bytes, 1, {padding_mode = "mirror"}) end,
  function() return F.posterize(floats, 2) end,
  function() return F.rgb_to_grayscale(torch.rand(4, 2, 2)) end,
  function() return F.resize(bytes, {2, 3, 4}) end,
  function() return F.resize(bytes, 6, {max_size = 6}) end,
  function() return F.five_crop(bytes, 40) end,
  function() return F.gaussian_blur(floats, 4) end,
  function() return F.rotate(floats, 1.0, modes.BICUBIC) end,
  function() return F.rotate(floats, 1.0, {fill = {1.0, 2.0}}) end,
} do
  local _, e = pcall(f)
  print((tostring(e):gsub("\n.*", "")))
end
