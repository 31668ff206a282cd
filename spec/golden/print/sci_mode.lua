-- set_printoptions{sci_mode}.
local torch = require "torch"
local x = torch.tensor{0.5, 1.25, 100.0}
torch.set_printoptions{sci_mode = true}
print(x)
print(torch.tensor{1.0, 2.0})
print(torch.tensor(0.25))
print(torch.tensor{1, 2})
torch.set_printoptions{sci_mode = false}
print(torch.tensor{1e-8, 1.0})
print(torch.tensor{1e10, 0.5})
print(torch.tensor{1e12, 1.0})
torch.set_printoptions{profile = "default"}
print(torch.tensor{1e-8, 1.0})
