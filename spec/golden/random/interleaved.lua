-- Many kinds of draws from one stream.
local torch = require "torch"
torch.manual_seed(2718)
print(torch.rand(2))
print(torch.randint(0, 6, {3}))
print(torch.randn(3))
print(torch.randperm(4))
print(torch.randn(18)["14:"])
print(torch.rand(1, {dtype = torch.float64}))
print(torch.nn.Linear(2, 2).weight)
print(torch.bernoulli(torch.full({4}, 0.5)))
print(torch.normal(0, 1, {3}))
print(torch.rand(2))
