-- The default dtype prints no name.
local torch = require "torch"
torch.set_default_dtype(torch.float64)
print(torch.tensor{0.5, 1.5})
print(torch.tensor({0.5, 1.5}, {dtype = torch.float32}))
print(torch.zeros(2), torch.ones(2).dtype, torch.tensor(1.0).dtype, torch.arange(0, 1, 0.5).dtype)
print(torch.get_default_dtype())
torch.set_default_dtype(torch.float32)
print(torch.tensor({0.5, 1.5}, {dtype = torch.float64}))
