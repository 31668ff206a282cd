-- define.lua: torch._define, by which functions written in Lua read their arguments, by the same rule and with the same errors
-- as those in C. torch._define "uniform(low=0.0, high=1.0, size?)" is a function that takes the arguments of a call and returns
-- a table of them by name. The notation is that of bindings/functions.lua. A name with a dot is a method's.
-- torch._define("synchronize(device?)", f) is a function that calls f with the arguments in the order of the signature.
local torch = ...
local signature = torch._part "signature"

-- Returns the value of a default in a signature.
local function value_of(text)
  if text == "true" or text == "false" then return text == "true" end
  return tonumber(text) or text:match "^(['\"])(.*)%1$" and text:sub(2, -2) or error("not a default: " .. text)
end

return function(text, f)
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
  local read = torch._reader(name, parameters, positional, defaults)
  if not f then return read end
  local names = {}
  for i, p in ipairs(parameters) do names[i] = p.name end
  local function in_order(values, i)
    if i > #names then return end
    return values[names[i]], in_order(values, i + 1)
  end
  return function(...) return f(in_order(read(...), 1)) end
end
