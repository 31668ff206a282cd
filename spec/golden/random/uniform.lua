-- uniform_ and its bounds.
local torch = require "torch"
torch.manual_seed(4)
print(torch.zeros(3):uniform_())
print(torch.zeros(2, 3):uniform_(-1, 1))
print(torch.zeros(4):uniform_(10, 20))
print(torch.empty(3, {dtype = torch.float64}):uniform_(-0.5, 0.5))
print(torch.empty(20):uniform_(0, 100))
print(torch.empty(3):uniform_{from = 2, to = 3})
print(torch.rand(1))
