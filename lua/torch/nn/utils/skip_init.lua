-- nn/utils/skip_init.lua: torch.nn.utils.skip_init: a module whose parameters and buffers nobody has filled.
local torch = ...
local support = torch._part "support"

local function is_keywords(value)
  return type(value) == "table" and getmetatable(value) == nil and next(value) ~= nil and #value == 0
end

--- skip_init(class, arguments...): the class's constructor takes a device.
return function(class, ...)
  local arguments, keywords = table.pack(...), {}
  if not torch._takes_device(class) then
    support.fail("RuntimeError", "Module must support a 'device' arg to skip initialization")
  end
  local last = arguments[arguments.n]
  if arguments.n == 1 and type(last) == "table" and getmetatable(last) == nil or is_keywords(last) then
    for key, value in pairs(last) do keywords[key] = value end
    arguments.n = arguments.n - 1
  end
  local device = keywords.device or "cpu"
  keywords.device = "meta"
  arguments[arguments.n + 1] = keywords
  return class(table.unpack(arguments, 1, arguments.n + 1)):to_empty{device = device}
end
