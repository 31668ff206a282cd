-- Every pair of dtypes, out of place, with numbers and in place.
local torch = require "torch"
local dtypes = {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16,
  torch.float32, torch.float64}
local function result(f)
  local ok, r = pcall(f)
  return " " .. (ok and tostring(r.dtype) or tostring(r):match "[^\n]*")
end
local function ones(d) return torch.ones(2, {dtype = d}) end
for _, name in ipairs {"mul", "true_divide", "floor_divide", "fmod", "maximum", "atan2", "bitwise_and", "bitwise_left_shift", "eq"} do
  for _, p in ipairs(dtypes) do
    local pairs_, numbers, in_place = "", "", ""
    for _, q in ipairs(dtypes) do
      pairs_ = pairs_ .. result(function() return torch[name](ones(p), ones(q)) end)
      in_place = in_place .. result(function() local a = ones(p); return a[name .. "_"](a, ones(q)) end)
    end
    for _, n in ipairs {1, 1.5, true} do numbers = numbers .. result(function() return torch[name](ones(p), n) end) end
    print(name, p, pairs_, numbers, in_place)
  end
end
