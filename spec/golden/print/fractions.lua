-- Four decimals, aligned.
local torch = require "torch"
print(torch.tensor{0.5})
print(torch.tensor{0.5, 10.25, -100.125})
print(torch.tensor{1.5, 2.0})
print(torch.tensor{{0.1, 0.22}, {0.333, 0.4444}})
print(torch.tensor{-0.1, 0.1})
print(torch.tensor{1000.5, 1.5})
print(torch.tensor{0.00012, 0.1})
print(torch.tensor{2.5, 3.25}:neg())
print(torch.tensor{1 / 3, 2 / 3, 1.0})
