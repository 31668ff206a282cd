-- The dtypes of reductions.
local torch = require "torch"
for _, d in ipairs{torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64} do
  local x = torch.tensor({1, 0, 1}, {dtype = d})
  print(d, x:sum(), x:sum(0).dtype, x:max(), d ~= torch.bool and x:argmax(), x:min())
end
print(torch.arange(3):sum{dtype = torch.float32}, torch.arange(3):mean{dtype = torch.float64}, torch.ones(2):sum{dtype = torch.int64})
print(torch.tensor{1.5, 2.5}:sum{dim = 0, dtype = torch.float64})
