-- Small normals come in pairs, and the second one waits.
local torch = require "torch"
torch.manual_seed(42)
print(torch.randn(1))
print(torch.randn(1))
print(torch.randn(1))
print(torch.rand(1))
print(torch.randn(2))
print(torch.randn(3))
print(torch.randn(16))
print(torch.randn(1))
torch.manual_seed(42)
print(torch.randn(4))
