-- torch.randn below 16 elements.
local torch = require "torch"
for n = 1, 15 do
  torch.manual_seed(n)
  print(torch.randn(n))
end
