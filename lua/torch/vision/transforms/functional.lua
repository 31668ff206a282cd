-- vision/transforms/functional.lua: torchvision.transforms.functional: geometry.lua and color.lua.
local torch = ...
local functional = {InterpolationMode = torch._part "vision.transforms.support".InterpolationMode}
for _, part in ipairs{"geometry", "color"} do
  for name, f in pairs(torch._part("vision.transforms." .. part)) do functional[name] = f end
end
functional.v2 = nil -- v2 differs
return torch._namespace(functional, "torch.vision.transforms.functional")
