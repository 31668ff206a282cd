-- Large matrices show their corners.
local torch = require "torch"
print(torch.arange(2000):reshape(40, 50))
print(torch.zeros(1, 1001))
print(torch.zeros(1001, 1))
print(torch.zeros(1001, 2))
print(torch.ones(7, 200))
print(torch.ones(6, 200))
print(torch.arange(1200.):reshape(400, 3) / 8)
