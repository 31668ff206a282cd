-- random_ fills with integers of the whole range.
local torch = require "torch"
torch.manual_seed(15)
print(torch.zeros(4, {dtype = torch.int64}):random_(10))
print(torch.zeros(4):random_(0, 5))
print(torch.zeros(3, {dtype = torch.int32}):random_(-3, 3))
print(torch.zeros(3, {dtype = torch.uint8}):random_())
print(torch.empty({}, {dtype = torch.int64}):random_():item())
print(torch.zeros(3, {dtype = torch.bool}):random_())
print(torch.rand(1))
