-- normal_ and torch.normal.
local torch = require "torch"
torch.manual_seed(4)
print(torch.zeros(3):normal_())
print(torch.zeros(2, 3):normal_(5, 2))
print(torch.zeros(18):normal_(-1, 0.5))
print(torch.zeros(4, {dtype = torch.float64}):normal_{mean = 100, std = 10})
print(torch.normal(0, 1, {4}))
print(torch.normal(2.0, 3.0, {2, 2}))
print(torch.normal(torch.arange(1., 5.), 0.1))
print(torch.normal(torch.zeros(3), torch.tensor{1.0, 10.0, 100.0}))
