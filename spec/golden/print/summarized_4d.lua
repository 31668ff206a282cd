-- Large tensors of four dimensions.
local torch = require "torch"
print(torch.zeros(10, 1, 8, 20))
print(torch.arange(10000.):reshape(1, 10, 10, 100))
print(torch.ones(2, 2, 2, 200, {dtype = torch.int32}))
