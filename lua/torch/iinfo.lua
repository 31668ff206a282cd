-- iinfo.lua: torch.iinfo: the range of an integer dtype.
local bits = {uint8 = 8, int8 = 8, int16 = 16, int32 = 32, int64 = 64}

local metatable = {__tostring = function(i) return ("iinfo(min=%d, max=%d, dtype=%s)"):format(i.min, i.max, i.dtype) end}

return function(dtype)
  local name = tostring(dtype):gsub("^torch%.", "")
  local n = bits[name]
  if not n then error("torch.iinfo() requires an integer input type. Use torch.finfo to handle '" .. tostring(dtype) .. "'", 0) end
  local unsigned = name == "uint8"
  local max = unsigned and 255 or math.maxinteger >> (64 - n)
  return setmetatable({bits = n, max = max, min = unsigned and 0 or -max - 1, dtype = name}, metatable)
end
