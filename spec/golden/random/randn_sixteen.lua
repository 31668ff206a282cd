-- torch.randn at 16 elements and a few more.
local torch = require "torch"
for n = 16, 19 do
  torch.manual_seed(n)
  print(torch.randn(n))
end
torch.manual_seed(0)
print(torch.randn(4, 4))
print(torch.randn(16, {dtype = torch.float64}))
