-- float32 and float64 normals one after the other.
local torch = require "torch"
torch.manual_seed(9)
print(torch.randn(1))
print(torch.randn(1, {dtype = torch.float64}))
print(torch.randn(1))
print(torch.randn(3, {dtype = torch.float64}))
print(torch.randn(3))
print(torch.randn(2, 8))
print(torch.randn(1, {dtype = torch.float64}))
