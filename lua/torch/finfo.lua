-- finfo.lua: torch.finfo: the range and precision of a floating point dtype.
local torch = ...
local number = torch._part "support".number

-- bits of the whole number, bits of the fraction, exponent of the smallest normal number, largest number
local formats = {float16 = {16, 10, -14, 65504.0}, bfloat16 = {16, 7, -126, 0x1.fep127}, float32 = {32, 23, -126, 0x1.fffffep127},
  float64 = {64, 52, -1022, 0x1.fffffffffffffp1023}, float8_e4m3fn = {8, 3, -6, 448.0}, float8_e5m2 = {8, 2, -14, 57344.0},
  float8_e4m3fnuz = {8, 3, -7, 240.0}, float8_e5m2fnuz = {8, 2, -15, 57344.0}, float8_e8m0fnu = {8, 0, -127, 0x1p127}}

local metatable = {__tostring = function(f)
  return ("finfo(resolution=%s, min=%s, max=%s, eps=%s, smallest_normal=%s, tiny=%s, dtype=%s)"):format(
    number("%g", f.resolution), number("%g", f.min), number("%g", f.max), number("%g", f.eps), number("%g", f.smallest_normal),
    number("%g", f.tiny), f.dtype)
end}

return function(dtype)
  local name = tostring(dtype or torch.get_default_dtype()):gsub("^torch%.", "")
  local f = formats[name]
  if not f then error("torch.finfo() requires a floating point input type. Use torch.iinfo to handle '" .. tostring(dtype) .. "'", 0) end
  local max, tiny = f[4], 2.0 ^ f[3]
  local digits = math.floor(f[2] * math.log(2, 10))
  local min = name == "float8_e8m0fnu" and tiny or -max   -- it has no sign
  return setmetatable({bits = f[1], eps = 2.0 ^ -f[2], max = max, min = min, tiny = tiny, smallest_normal = tiny,
    resolution = 10.0 ^ -digits, dtype = name}, metatable)
end
