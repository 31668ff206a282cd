-- Powers, floor division and remainders.
local torch = require "torch"
local dtypes = {torch.uint8, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64}
for _, d in ipairs(dtypes) do
  local x = torch.tensor({2, 3}, {dtype = d})
  print(d, (x ^ 2).dtype, (x ^ 2.0).dtype, (2 ^ x).dtype, (x // 2).dtype, (x // 2.0).dtype, (x % 2).dtype, (x % 2.5).dtype)
end
local b = torch.tensor{true, false}
print((b + b).dtype, (b * b).dtype, (b / b).dtype, (b ^ 2).dtype, (b + 1).dtype, b + b, b * 3, b / 2)
print((torch.arange(3) ^ torch.tensor(2.0)).dtype, (torch.arange(3) // torch.tensor{2.0}).dtype)
