-- vision/transforms/color.lua: the functions of torchvision.transforms.functional that change values: dtypes, colours, contrast.
local torch = ...
local image = torch._part "vision.transforms.support"
local support, define = torch._part "support", torch._define
local fail, white = support.fail, image.white
local color = {}

-- --- dtypes --------------------------------------------------------------------------------------------

local function is(dtype, ...)
  for _, one in ipairs{...} do
    if dtype == one then return true end
  end
  return false
end

local function from_floats(img, dtype)
  if dtype.is_floating_point then return img:to(dtype) end
  if (img.dtype == torch.float32 and is(dtype, torch.int32, torch.int64)) or (img.dtype == torch.float64 and dtype == torch.int64) then
    fail("RuntimeError", "The cast from %s to %s cannot be performed safely.", tostring(img.dtype), tostring(dtype))
  end
  -- as many equal parts as there are values; 1 itself must stay in the last part
  return (img * (white(dtype) + 1.0 - 1e-3)):to(dtype)
end

local function from_integers(img, dtype)
  local from, to = white(img.dtype), white(dtype)
  if dtype.is_floating_point then return img:to(dtype) / (from + 0.0) end
  if from > to then return torch.div(img, (from + 1.0) // (to + 1.0) | 0, {rounding_mode = "floor"}):to(dtype) end
  return img:to(dtype) * ((to + 1.0) // (from + 1.0) | 0)
end

local function convert(img, dtype)
  if img.dtype == dtype then return img end
  return (img.dtype.is_floating_point and from_floats or from_integers)(img, dtype)
end
color.convert_image_dtype = define("convert_image_dtype(Tensor image, dtype?)", function(img, dtype) return convert(img, dtype or torch.float32) end)

--- Returns an image (uint8: a PIL image in torchvision, or an array with channels last) as floats from 0 to 1.
function color.to_tensor(pic)
  if support.is_array(pic) then
    local t = torch.from_numpy(pic)
    if t:dim() ~= 2 and t:dim() ~= 3 then fail("ValueError", "pic should be 2/3 dimensional. Got %d dimensions.", t:dim()) end
    pic = (t:dim() == 2 and t:unsqueeze(-1) or t):permute(2, 0, 1):contiguous()
  elseif not torch.is_tensor(pic) or pic.dtype ~= torch.uint8 then
    return torch._raise("TypeError", "pic should be PIL Image or ndarray. Got " .. support.python_class(pic),
      "here pictures are uint8 tensors; transforms.ConvertImageDtype(torch.float32) changes other dtypes")
  end
  if pic.dtype ~= torch.uint8 then return pic end
  return pic:contiguous():to(torch.get_default_dtype()):div(255)
end

--- Returns an image as a uint8 tensor, which it already is.
function color.pil_to_tensor(pic)
  if torch.is_tensor(pic) and pic.dtype == torch.uint8 then return pic end
  return fail("TypeError", "pic should be PIL Image. Got %s", support.python_class(pic))
end

local channels_of = {L = 1, LA = 2, RGB = 3, RGBA = 4, CMYK = 4, YCbCr = 3, HSV = 3}   -- Pillow's modes with bytes

--- Returns an image (uint8) of a tensor. Floats from 0 to 1 are truncated to 255 steps.
color.to_pil_image = define("to_pil_image(pic, mode?)", function(pic, mode)
  if support.is_array(pic) then pic = torch.from_numpy(pic):permute(2, 0, 1) end
  if not torch.is_tensor(pic) then fail("TypeError", "pic should be Tensor or ndarray. Got %s.", support.python_class(pic)) end
  if pic:dim() == 2 then pic = pic:unsqueeze(0) end
  if pic:dim() ~= 3 then fail("ValueError", "pic should be 2/3 dimensional. Got %d dimensions.", pic:dim()) end
  if pic:size(0) > 4 then fail("ValueError", "pic should not have > 4 channels. Got %d channels.", pic:size(0)) end
  if mode ~= nil and channels_of[mode] ~= pic:size(0) then
    fail("ValueError", "Incorrect mode (%s) supplied for input of %d channels", support.python(mode), pic:size(0))
  end
  if pic.dtype.is_floating_point then pic = pic * 255 end
  return pic:to(torch.uint8)
end)

color.normalize = define("normalize(Tensor tensor, mean, std, inplace=false)", function(tensor, mean, std, inplace)
  image.check(tensor)
  if not tensor.dtype.is_floating_point then fail("TypeError", "Input tensor should be a float tensor. Got %s.", tostring(tensor.dtype)) end
  if tensor:dim() < 3 then
    fail("ValueError", "Expected tensor to be a tensor image of size (..., C, H, W). Got tensor.size() = %s", tostring(tensor.shape))
  end
  local function values(list)
    local t = torch.is_tensor(list) and list:to(tensor.dtype) or torch.tensor(list, {dtype = tensor.dtype, device = tensor.device})
    return t
  end
  mean, std = values(mean), values(std)
  if std:eq(0):any():item() then
    fail("ValueError", "std evaluated to zero after conversion to %s, leading to division by zero.", tostring(tensor.dtype))
  end
  if mean:dim() == 1 then mean = mean:view(-1, 1, 1) end
  if std:dim() == 1 then std = std:view(-1, 1, 1) end
  return (inplace and tensor or tensor:clone()):sub_(mean):div_(std)
end)

-- --- brightness, contrast, saturation, hue -----------------------------------------------------------------

local function blend(a, b, ratio)
  return (a * (ratio + 0.0) + b * (1.0 - ratio)):clamp(0, white(a.dtype)):to(a.dtype)
end

local function check_factor(name, factor)
  if factor < 0 then fail("ValueError", "%s (%s) is not non-negative.", name, image.show(factor)) end
end

local function to_gray(img, channels)
  if img:dim() < 3 then fail("TypeError", "Input image tensor should have at least 3 dimensions, but found %d", img:dim()) end
  image.check_channels(img, 1, 3)
  if channels ~= 1 and channels ~= 3 then fail("ValueError", "num_output_channels should be either 1 or 3") end
  local gray
  if img:size(-3) == 3 then
    local r, g, b = table.unpack(img:unbind(-3))
    gray = (r * 0.2989 + g * 0.587 + b * 0.114):to(img.dtype):unsqueeze(-3)
  else
    gray = img:clone()
  end
  return channels == 3 and gray:expand(img.shape) or gray
end
color.rgb_to_grayscale = define("rgb_to_grayscale(Tensor img, num_output_channels=1)", to_gray)
color.to_grayscale = color.rgb_to_grayscale

color.adjust_brightness = define("adjust_brightness(Tensor img, float brightness_factor)", function(img, factor)
  check_factor("brightness_factor", factor)
  image.check_channels(img, 1, 3)
  return blend(img, torch.zeros_like(img), factor)
end)

color.adjust_contrast = define("adjust_contrast(Tensor img, float contrast_factor)", function(img, factor)
  check_factor("contrast_factor", factor)
  image.check_channels(img, 3, 1)
  local gray = image.dimensions(img) == 3 and to_gray(img, 1) or img
  local dtype = img.dtype.is_floating_point and img.dtype or torch.float32
  return blend(img, gray:to(dtype):mean({-3, -2, -1}, true), factor)
end)

color.adjust_saturation = define("adjust_saturation(Tensor img, float saturation_factor)", function(img, factor)
  check_factor("saturation_factor", factor)
  image.check_channels(img, 1, 3)
  if image.dimensions(img) == 1 then return img end
  return blend(img, to_gray(img, 1), factor)
end)

-- Returns the hue, saturation and value of colours. Hue and saturation of greys are 0, because the divisors are set to 1.
local function to_hsv(img)
  local r, g, b = table.unpack(img:unbind(-3))
  local maximum, minimum = img:amax(-3), img:amin(-3)
  local equal, range = maximum:eq(minimum), maximum - minimum
  local ones = torch.ones_like(maximum)
  local saturation = range / torch.where(equal, ones, maximum)
  local divisor = torch.where(equal, ones, range)
  local rc, gc, bc = (maximum - r) / divisor, (maximum - g) / divisor, (maximum - b) / divisor
  local red, green = maximum:eq(r), maximum:eq(g)
  local hue = red * (bc - gc) + (green & ~red) * (2.0 + rc - bc) + (~green & ~red) * (4.0 + gc - rc)
  return torch.fmod(hue / 6.0 + 1.0, 1.0), saturation, maximum
end

local function of_hsv(h, s, v)
  local i = torch.floor(h * 6.0)
  local f = h * 6.0 - i
  local sector = torch.remainder(i:to(torch.int32), 6)
  local p = torch.clamp(v * (1.0 - s), 0.0, 1.0)
  local q = torch.clamp(v * (1.0 - s * f), 0.0, 1.0)
  local t = torch.clamp(v * (1.0 - s * (1.0 - f)), 0.0, 1.0)
  local function choose(list)
    local out = list[1]
    for k = 2, 6 do out = torch.where(sector:eq(k - 1), list[k], out) end
    return out
  end
  return torch.stack({choose{v, q, p, p, t, v}, choose{t, v, v, q, p, p}, choose{p, p, t, v, v, q}}, -3)
end

color.adjust_hue = define("adjust_hue(Tensor img, float hue_factor)", function(img, factor)
  if not (factor >= -0.5 and factor <= 0.5) then fail("ValueError", "hue_factor (%s) is not in [-0.5, 0.5].", image.show(factor)) end
  image.check_channels(img, 1, 3)
  if image.dimensions(img) == 1 then return img end
  local h, s, v = to_hsv(convert(img, torch.float32))
  return convert(of_hsv(torch.remainder(h + factor, 1.0), s, v), img.dtype)
end)

color.adjust_gamma = define("adjust_gamma(Tensor img, float gamma, float gain=1)", function(img, gamma, gain)
  image.check_channels(img, 1, 3)
  if gamma < 0 then fail("ValueError", "Gamma should be a non-negative real number") end
  local floats = img.dtype.is_floating_point and img or convert(img, torch.float32)
  return convert((floats:pow(gamma) * gain):clamp(0, 1), img.dtype)
end)

-- --- other changes of values --------------------------------------------------------------------------------

local function check_colors(img)
  image.check(img)
  if img:dim() < 3 then fail("TypeError", "Input image tensor should have at least 3 dimensions, but found %d", img:dim()) end
  image.check_channels(img, 1, 3)
end
local function check_bytes(img)
  if img.dtype ~= torch.uint8 then fail("TypeError", "Only torch.uint8 image tensors are supported, but found %s", tostring(img.dtype)) end
end

local function invert(img)
  check_colors(img)
  return white(img.dtype) - img
end
color.invert = define("invert(Tensor img)", invert)

color.posterize = define("posterize(Tensor img, int bits)", function(img, bits)
  check_colors(img)
  check_bytes(img)
  return img & torch.tensor(256 - (1 << (8 - math.max(0, math.min(bits, 8)))) & 255, {dtype = torch.uint8})
end)

color.solarize = define("solarize(Tensor img, float threshold)", function(img, threshold)
  check_colors(img)
  if threshold > white(img.dtype) then fail("TypeError", "Threshold should be less than bound of img.") end
  return torch.where(img:ge(threshold), invert(img), img)
end)

color.autocontrast = define("autocontrast(Tensor img)", function(img)
  check_colors(img)
  local bound, dtype = white(img.dtype), img.dtype.is_floating_point and img.dtype or torch.float32
  local minimum, maximum = img:amin({-2, -1}, true):to(dtype), img:amax({-2, -1}, true):to(dtype)
  local scale = bound / (maximum - minimum)
  local flat = ~torch.isfinite(scale)
  minimum, scale = minimum:masked_fill(flat, 0), scale:masked_fill(flat, 1)
  return ((img - minimum) * scale):clamp(0, bound):to(img.dtype)
end)

local function equalize_channel(channel)
  local counts = torch.bincount(channel:reshape(-1), {minlength = 256})
  local present = counts[counts:ne(0)]
  local step = torch.div(present["0:-1"]:sum(), 255, {rounding_mode = "floor"}):item()
  if step == 0 then return channel end
  local sums = torch.div(torch.cumsum(counts, 0) + step // 2, step, {rounding_mode = "floor"})
  local table_of = torch.cat({torch.zeros(1, {dtype = torch.int64}), sums["0:-1"]}):clamp(0, 255)
  return table_of[channel:to(torch.int64)]:to(torch.uint8)
end

color.equalize = define("equalize(Tensor img)", function(img)
  image.check(img)
  if img:dim() < 3 or img:dim() > 4 then fail("TypeError", "Input image tensor should have 3 or 4 dimensions, but found %d", img:dim()) end
  check_bytes(img)
  image.check_channels(img, 1, 3)
  if img:numel() == 0 then return img end
  local channels = {}
  for i, channel in ipairs(img:reshape(-1, img:size(-2), img:size(-1)):unbind(0)) do channels[i] = equalize_channel(channel) end
  return torch.stack(channels):reshape(img.shape)
end)

-- Returns the image with its inner part blurred and its edge unchanged.
local function blurred(img)
  local dtype = img.dtype.is_floating_point and img.dtype or torch.float32
  local kernel = torch.ones(3, 3, {dtype = dtype})
  kernel["1, 1"] = 5.0
  kernel = kernel / kernel:sum()
  local channels = img:size(-3)
  local batch, back = image.batch(img, function(own) return own == dtype end, dtype)
  local inner = back(torch.nn.functional.conv2d(batch, kernel:expand(channels, 1, 3, 3), {groups = channels}))
  local out = img:clone()
  out:narrow(-2, 1, img:size(-2) - 2):narrow(-1, 1, img:size(-1) - 2):copy_(inner)
  return out
end

color.adjust_sharpness = define("adjust_sharpness(Tensor img, float sharpness_factor)", function(img, factor)
  check_factor("sharpness_factor", factor)
  image.check_channels(img, 1, 3)
  if img:size(-1) <= 2 or img:size(-2) <= 2 then return img end
  return blend(img, blurred(img), factor)
end)

color.erase = define("erase(Tensor img, int i, int j, int h, int w, v, inplace=false)", function(img, i, j, h, w, v, inplace)
  image.check(img)
  local out = inplace and img or img:clone()
  local part = out:narrow(-2, i, h):narrow(-1, j, w)
  if torch.is_tensor(v) then part:copy_(v) else part:fill_(v) end
  return out
end)

return color
