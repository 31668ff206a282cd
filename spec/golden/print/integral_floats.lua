-- Floats that are all integral print as "1.".
local torch = require "torch"
print(torch.tensor{1.0, 2.0, 3.0})
print(torch.tensor{-1.0, 20.0, 300.0})
print(torch.ones(2, 3))
print(torch.zeros(2, 2))
print(torch.tensor{0.0, -0.0})
print(torch.tensor{99999999.0, 1.0})
print(torch.tensor{100000000.0, 1.0})
print(torch.tensor{1000000000.0, 0.0})
print(torch.arange(1., 10.))
print(torch.full({2, 2}, 7.0))
