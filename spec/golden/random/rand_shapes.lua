-- torch.rand in several shapes.
local torch = require "torch"
torch.manual_seed(3)
print(torch.rand(1))
print(torch.rand(2, 3))
print(torch.rand{size = {2, 2, 2}})
print(torch.rand({3}))
print(torch.rand(0))
print(torch.rand(5, 1))
print(torch.rand(17))
print(torch.rand{2, dtype = torch.float64})
print(torch.rand(4))
