-- vision/transforms/v2/functional.lua: torchvision.transforms.v2.functional: v1's functions, and v2's additions for tensors.
local torch = ...
local image = torch._part "vision.transforms.support"
local F = torch._part "torch.vision.transforms.functional"
local fail = torch._part "support".fail
local functional = {}
for name, value in pairs(F) do functional[name] = value end
for name, value in pairs(torch._part "vision.transforms.geometry".v2) do functional[name] = value end
functional.horizontal_flip, functional.vertical_flip = F.hflip, F.vflip
functional.to_image = function(pic) return torch.is_tensor(pic) and pic or F.pil_to_tensor(pic) end

--- Converts to another dtype; scale: so that black stays black and white white.
functional.to_dtype = torch._define("to_dtype(Tensor inpt, dtype?, scale=false)", function(img, dtype, scale)
  dtype = dtype or torch.float32
  return scale and F.convert_image_dtype(img, dtype) or img:to(dtype)
end)

-- --- functions that differ from v1's in their rounding ----------------------------------------------------------

local function as_before(out, dtype) return dtype.is_floating_point and out or out:to(dtype) end

--- Increases or decreases the saturation of colours.
functional.adjust_saturation = torch._define("adjust_saturation(Tensor inpt, float saturation_factor)", function(img, factor)
  if factor < 0 then fail("ValueError", "saturation_factor (%s) is not non-negative.", image.show(factor)) end
  local channels = image.dimensions(img)
  if channels ~= 1 and channels ~= 3 then fail("TypeError", "Input image tensor permitted channel values are 1 or 3, but found %d", channels) end
  if channels == 1 then return img end
  local function channel(i) return img:select(-3, i) end
  local gray = channel(0):mul(0.2989):add_(channel(1), {alpha = 0.587}):add_(channel(2), {alpha = 0.114}):unsqueeze(-3)
  if not img.dtype.is_floating_point then gray = gray:floor() end
  return as_before(img:mul(factor + 0.0):add_(gray, {alpha = 1.0 - factor}):clamp_(0, image.white(img.dtype)), img.dtype)
end)

-- Returns an image with every pixel, except on the border, replaced by the mean of its neighbourhood.
local function blurred(img)
  local a, b = 1.0 / 13.0, 5.0 / 13.0
  local channels = img:size(-3)
  local kernel = torch.tensor({{a, a, a}, {a, b, a}, {a, a, a}}, {dtype = img.dtype}):expand(channels, 1, 3, 3)
  return torch.nn.functional.conv2d(img, kernel, {groups = channels})
end

--- Makes an image sharper or softer.
functional.adjust_sharpness = torch._define("adjust_sharpness(Tensor inpt, float sharpness_factor)", function(img, factor)
  local channels, height, width = image.dimensions(img)
  if channels ~= 1 and channels ~= 3 then fail("TypeError", "Input image tensor can have 1 or 3 channels, but found %d", channels) end
  if factor < 0 then fail("ValueError", "sharpness_factor (%s) is not non-negative.", image.show(factor)) end
  if img:numel() == 0 or height <= 2 or width <= 2 then return img end
  local float = img.dtype.is_floating_point
  local out = (float and img:clone() or img:to(torch.float32)):reshape(-1, channels, height, width)
  local soft = blurred(out)
  if not float then soft = soft:round() end
  local inner = out:narrow(-2, 1, height - 2):narrow(-1, 1, width - 2)
  inner:add_(soft - inner, {alpha = 1.0 - factor})
  return as_before(out:clamp_(0, image.white(img.dtype)), img.dtype):reshape(img.shape)
end)

--- Extends the contrast to the full range.
functional.autocontrast = torch._define("autocontrast(Tensor inpt)", function(img)
  local channels = image.dimensions(img)
  if channels ~= 1 and channels ~= 3 then fail("TypeError", "Input image tensor permitted channel values are 1 or 3, but found %d", channels) end
  if img:numel() == 0 then return img end
  local white = image.white(img.dtype)
  local x = img.dtype.is_floating_point and img or img:to(torch.float32)
  local minimum, maximum = x:amin({-2, -1}, true), x:amax({-2, -1}, true)
  local flat = maximum:eq(minimum)
  local scale = ((maximum - minimum) * (1.0 / white)):masked_fill(flat, 1.0)
  return (x - minimum:masked_fill(flat, 0.0)):div_(scale):clamp_(0, white):to(img.dtype)
end)

function functional.get_size(img)
  local _, height, width = image.dimensions(img)
  return {height, width}
end

return torch._namespace(functional, "torch.vision.transforms.v2.functional")
