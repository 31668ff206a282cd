-- float64.
local torch = require "torch"
print(torch.tensor({0.1, 0.2, 0.3}, {dtype = torch.float64}))
print(torch.tensor({1.0, 2.0}, {dtype = torch.float64}))
print(torch.tensor({1 / 3, -2 / 3}, {dtype = torch.float64}))
print(torch.tensor({{1e-9, 1.0}}, {dtype = torch.float64}))
print(torch.arange{0, 1, 0.25, dtype = torch.float64})
