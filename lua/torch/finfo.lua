-- finfo.lua: torch.finfo: the range and precision of a floating point dtype.
local torch = ...
local number = torch._part "support".number

-- bits of the whole number, bits of the fraction, largest exponent
local formats = {float16 = {16, 10, 15}, bfloat16 = {16, 7, 127}, float32 = {32, 23, 127}, float64 = {64, 52, 1023}}

local metatable = {__tostring = function(f)
  return ("finfo(resolution=%s, min=%s, max=%s, eps=%s, smallest_normal=%s, tiny=%s, dtype=%s)"):format(
    number("%g", f.resolution), number("%g", f.min), number("%g", f.max), number("%g", f.eps), number("%g", f.smallest_normal),
    number("%g", f.tiny), f.dtype)
end}

return function(dtype)
  local name = tostring(dtype or torch.get_default_dtype()):gsub("^torch%.", "")
  local f = formats[name]
  if not f then error("torch.finfo() requires a floating point input type. Use torch.iinfo to handle '" .. tostring(dtype) .. "'", 0) end
  local max = (2.0 - 2.0 ^ -f[2]) * 2.0 ^ f[3]
  local digits = math.floor(f[2] * math.log(2, 10))
  local tiny = 2.0 ^ (1 - f[3])
  return setmetatable({bits = f[1], eps = 2.0 ^ -f[2], max = max, min = -max, tiny = tiny, smallest_normal = tiny,
    resolution = 10.0 ^ -digits, dtype = name}, metatable)
end
