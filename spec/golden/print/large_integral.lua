-- Large integral floats.
local torch = require "torch"
print(torch.tensor{1e15, 1.0})
print(torch.tensor{123456.0, 7.0})
print(torch.tensor{12345678.0})
print(torch.tensor{16777216.0, 3.0})
print(torch.tensor{1e20})
print(torch.tensor({1e15, 1.0}, {dtype = torch.float64}))
print(torch.tensor({123456789.0, 1.0}, {dtype = torch.float64}))
