-- vision/transforms/v2/functional.lua: torchvision.transforms.v2.functional: v1's functions, and what v2 adds for tensors.
local torch = ...
local image = torch._part "torch.vision.transforms.support"
local F = torch._part "torch.vision.transforms.functional"
local functional = {}
for name, value in pairs(F) do functional[name] = value end
functional.horizontal_flip, functional.vertical_flip = F.hflip, F.vflip
functional.to_image = function(pic) return torch.is_tensor(pic) and pic or F.pil_to_tensor(pic) end

--- Another dtype; scale: so that black stays black and white white.
functional.to_dtype = torch._define("to_dtype(Tensor inpt, dtype?, scale=false)", function(img, dtype, scale)
  dtype = dtype or torch.float32
  return scale and F.convert_image_dtype(img, dtype) or img:to(dtype)
end)

function functional.get_size(img)
  local _, height, width = image.dimensions(img)
  return {height, width}
end

return torch._namespace(functional, "torch.vision.transforms.v2.functional")
