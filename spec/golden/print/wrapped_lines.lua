-- Lines wrap at 80 columns.
local torch = require "torch"
print(torch.arange(30))
print(torch.arange(100))
print(torch.arange(40.) / 8)
print(torch.arange(25) * 1000000)
print(torch.ones(2, 30))
print(torch.arange(60):reshape(2, 30))
print(torch.ones(25, {dtype = torch.bool}))
