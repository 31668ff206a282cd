-- _limits.lua: torch.iinfo and torch.finfo: what numbers a dtype holds.
local torch = ...

local bits = {uint8 = 8, int8 = 8, int16 = 16, int32 = 32, int64 = 64}
-- bits of the whole number, of the fraction, greatest exponent
local formats = {float16 = {16, 10, 15}, bfloat16 = {16, 7, 127}, float32 = {32, 23, 127}, float64 = {64, 52, 1023}}

local function name_of(dtype) return (tostring(dtype):gsub("^torch%.", "")) end

local limits = {}

local iinfo_mt = {__tostring = function(i) return ("iinfo(min=%d, max=%d, dtype=%s)"):format(i.min, i.max, i.dtype) end}

function limits.iinfo(dtype)
  local n = bits[name_of(dtype)]
  if not n then error("torch.iinfo() requires an integer input type. Use torch.finfo to handle '" .. tostring(dtype) .. "'", 0) end
  local unsigned = name_of(dtype) == "uint8"
  local max = unsigned and 255 or math.maxinteger >> (64 - n)
  return setmetatable({bits = n, max = max, min = unsigned and 0 or -max - 1, dtype = name_of(dtype)}, iinfo_mt)
end

local finfo_mt = {__tostring = function(f)
  return ("finfo(resolution=%s, min=%s, max=%s, eps=%s, smallest_normal=%s, tiny=%s, dtype=%s)"):format(
    f.resolution, f.min, f.max, f.eps, f.smallest_normal, f.tiny, f.dtype)
end}

function limits.finfo(dtype)
  local f = formats[name_of(dtype or torch.get_default_dtype())]
  if not f then error("torch.finfo() requires a floating point input type. Use torch.iinfo to handle '" .. tostring(dtype) .. "'", 0) end
  local max = (2.0 - 2.0 ^ -f[2]) * 2.0 ^ f[3]
  local digits = math.floor(f[2] * math.log(2, 10))
  local tiny = 2.0 ^ (1 - f[3])
  return setmetatable({bits = f[1], eps = 2.0 ^ -f[2], max = max, min = -max, tiny = tiny, smallest_normal = tiny,
    resolution = 10.0 ^ -digits, dtype = name_of(dtype or torch.get_default_dtype())}, finfo_mt)
end

return limits
