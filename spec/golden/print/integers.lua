-- Integers line up on the widest one.
local torch = require "torch"
print(torch.tensor(7))
print(torch.tensor{1, 2, 3})
print(torch.tensor{1, -20, 300})
print(torch.tensor{{1, -2}, {-300, 4}})
print(torch.tensor{-1, -2, -3})
print(torch.tensor{9223372036854775807, 0, -9223372036854775807})
print(torch.arange(12):reshape(2, 2, 3))
print(torch.zeros(3, {dtype = torch.int64}))
