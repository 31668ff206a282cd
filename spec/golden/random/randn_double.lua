-- float64 normals.
local torch = require "torch"
torch.manual_seed(7)
print(torch.randn(3, {dtype = torch.float64}))
print(torch.randn(15, {dtype = torch.float64}))
print(torch.randn(16, {dtype = torch.float64}))
print(torch.randn(20, {dtype = torch.float64}))
print(torch.randn(2))
