-- float64 draws two words for each number.
local torch = require "torch"
torch.manual_seed(0)
print(torch.rand(4, {dtype = torch.float64}))
print(torch.rand(3))
torch.manual_seed(5)
print(torch.rand(20, {dtype = torch.float64}))
print(torch.rand(2, 2))
