-- define.lua: torch._define: how functions written in Lua read their arguments, by the same rule and with the same words as
-- those in C. torch._define "uniform(low=0.0, high=1.0, size?)" is a function that takes the arguments of a call and
-- gives a table of them by name; the notation is that of bindings/functions.lua. A name with a dot is a method's.
local torch = ...
local signature = torch._part "signature"

-- What a default in a signature stands for.
local function value_of(text)
  if text == "true" or text == "false" then return text == "true" end
  return tonumber(text) or text:match "^(['\"])(.*)%1$" and text:sub(2, -2) or error("not a default: " .. text)
end

return function(text)
  local name, list = text:match "^([%w_.]+)%((.*)%)$"
  if not name then error("cannot read signature " .. text) end
  local parameters, positional = signature.parameters(list, name)
  local defaults = {}
  for i, p in ipairs(parameters) do
    if p.default then
      defaults[i] = value_of(p.default)
      p.optional = true
    end
  end
  return torch._reader(name, parameters, positional, defaults)
end
