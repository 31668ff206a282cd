-- vision/models/init.lua: torchvision.models: functions that create networks, with torchvision's names of parameters and its
-- initialization.
local torch = ...
local models = {}
for _, part in ipairs{"classic", "resnet", "mobile", "attention"} do
  for name, value in pairs(torch._part("vision.models." .. part)) do models[name] = value end
end

--- Creates a network by its name: models.get_model("resnet18", {num_classes = 10}).
function models.get_model(name, options)
  local make = type(name) == "string" and name:find "^%l" and rawget(models, name)
  if not make then torch._part "support".fail("ValueError", "Unknown model %s", tostring(name)) end
  return make(options)
end

return torch._namespace(models, "torch.vision.models")
