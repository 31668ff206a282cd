-- Lua's numbers and every dtype.
local torch = require "torch"
local dtypes = {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
                torch.float16, torch.bfloat16, torch.float32, torch.float64}
for _, d in ipairs(dtypes) do
  local x = torch.ones(2, {dtype = d})
  print(d, (x + 1).dtype, (x + 1.0).dtype, (x * 2).dtype, (x * 2.5).dtype, (x / 2).dtype, (1 / x).dtype, (x + true).dtype)
end
for _, d in ipairs(dtypes) do
  local x = torch.tensor(1, {dtype = d})
  print(d, (x + 1).dtype, (x + 1.0).dtype, (x / 2).dtype, (2 * x).dtype)
end
