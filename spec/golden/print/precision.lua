-- set_printoptions{precision}.
local torch = require "torch"
local x = torch.tensor{1 / 3, 2 / 3, 10.125}
torch.set_printoptions{precision = 2}
print(x)
print(torch.tensor{1e-5, 1.0})
torch.set_printoptions{precision = 8}
print(x)
print(torch.tensor{1e-5, 1.0})
torch.set_printoptions{precision = 10}
print(torch.tensor({1 / 3, 0.1}, {dtype = torch.float64}))
torch.set_printoptions{precision = 0}
print(torch.tensor{1.25, 2.75})
torch.set_printoptions{profile = "default"}
print(x)
