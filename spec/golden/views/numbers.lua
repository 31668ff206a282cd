-- A number selects along the first dimension.
local torch = require "torch"
local x = torch.arange(12):reshape(3, 4)
print(x[0])
print(x[-1])
print(x[1][2])
print(x[2][-1])
print(x[0].shape, x[0][0].shape)
x[1] = 0
print(x)
x[-1][0] = 99
print(x)
x[0] = torch.tensor{5, 6, 7, 8}
print(x)
