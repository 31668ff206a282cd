-- Random numbers of several shapes.
local torch = require "torch"
torch.manual_seed(42)
print(torch.rand(5))
print(torch.randn(3, 4))
print(torch.randn(2, 2, 2))
print(torch.rand(2, 3) * 1000)
print(torch.randn(4) * 1e-6)
print(torch.randint(-100, 100, {3, 5}))
print(torch.randperm(12))
