-- Large tensors of three dimensions.
local torch = require "torch"
print(torch.arange(8000):reshape(20, 20, 20))
print(torch.zeros(2, 3, 500))
print(torch.zeros(500, 1, 3))
