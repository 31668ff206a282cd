-- Rounding goes to the nearest even digit of the exact value.
local torch = require "torch"
print(torch.tensor{0.00005, 0.5})
print(torch.tensor{2.00005, 0.5})
print(torch.tensor{0.99999, 0.5})
print(torch.tensor{9.99999, 0.5})
print(torch.tensor{99.99999, -0.00004})
print(torch.tensor({0.03125, 0.84375}, {dtype = torch.float64}))
print(torch.tensor{0.03125, 0.84375, 1.00625})
