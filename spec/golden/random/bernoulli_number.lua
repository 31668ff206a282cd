-- Coins drawn with a plain number.
local torch = require "torch"
torch.manual_seed(0)
print(torch.empty(10):bernoulli_(0.5))
print(torch.empty(10):bernoulli_())
print(torch.empty(3, 4):bernoulli_(0.9))
print(torch.rand(2))
print(torch.zeros(5, {dtype = torch.int64}):bernoulli_(0.5))
print(torch.bernoulli(torch.zeros(6), 0.5))
print(torch.rand(2))
