-- More than 1000 elements show their ends.
local torch = require "torch"
print(torch.arange(1000))
print(torch.arange(1001))
print(torch.arange(1200.))
print(torch.zeros(2000))
print(torch.ones(1500, {dtype = torch.bool}))
print(torch.arange(0, 2, 0.001))
