-- Widths come from all the numbers that are shown.
local torch = require "torch"
print(torch.tensor{{1, 1000}, {10, 1}})
print(torch.tensor{{-1.5, 22.25}, {333.125, 4.0}})
print(torch.tensor{{0.5, 1e3}, {-1e3, 0.25}})
local big = torch.zeros(2000)
big[1000] = 123456
print(big)
big[1] = -5.5
print(big)
big[1999] = math.huge
print(big)
