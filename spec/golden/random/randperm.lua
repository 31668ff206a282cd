-- torch.randperm, small and large.
local torch = require "torch"
for _, n in ipairs{0, 1, 2, 3, 5, 10, 20} do
  torch.manual_seed(42)
  print(torch.randperm(n))
end
torch.manual_seed(0)
print(torch.randperm(100))
print(torch.randperm(1000)["0:10"])
print(torch.randperm(50000)["0:10"])
print(torch.rand(2))
print(torch.randperm(6, {dtype = torch.int32}))
