-- Coins.
local torch = require "torch"
torch.manual_seed(0)
print(torch.bernoulli(torch.full({10}, 0.5)))
print(torch.bernoulli(torch.tensor{0.0, 1.0, 0.5, 0.9}))
print(torch.bernoulli(torch.rand(2, 4)))
print(torch.rand(2))
torch.manual_seed(3)
print(torch.bernoulli(torch.full({20}, 0.3)))
print(torch.bernoulli(torch.full({6}, 0.5, {dtype = torch.float64})))
print(torch.rand(2))
