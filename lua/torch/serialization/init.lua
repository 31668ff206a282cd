-- serialization/init.lua: torch.serialization (docs/files.md).
local torch = ...
local types, files = torch._part "serialization.types", torch._part "serialization.files"
local resume, trust = torch._part "serialization.resume", torch._part "serialization.trust"

local serialization = torch._namespace({}, "torch.serialization")
for _, name in ipairs {"dict", "OrderedDict", "list", "tuple", "set", "bytes", "None", "attributes"} do
  rawset(serialization, name, types[name])
end
for _, part in ipairs {files, resume, trust.public} do
  for name, value in pairs(part) do rawset(serialization, name, value) end
end
return serialization
