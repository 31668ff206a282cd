-- nn/utils/skip_init.lua: torch.nn.utils.skip_init: creates a module with uninitialized parameters and buffers.
local torch = ...
local support = torch._part "support"

--- skip_init(class, arguments...) creates a module of a class whose constructor takes a device.
return function(class, ...)
  if not torch._takes_device(class) then
    support.fail("RuntimeError", "Module must support a 'device' arg to skip initialization")
  end
  local arguments, n, given = torch._split(...)
  local keywords = {device = "meta"}
  for key, value in pairs(given) do
    if type(key) == "string" and key ~= "device" then keywords[key] = value end
  end
  arguments[n + 1] = keywords
  return class(table.unpack(arguments, 1, n + 1)):to_empty{device = given.device or "cpu"}
end
