-- Wide rows wrap and keep their indentation.
local torch = require "torch"
print(torch.arange(90.):reshape(3, 30) / 4)
print(torch.arange(60):reshape(1, 2, 30) * 1000)
print(torch.ones(2, 26, {dtype = torch.bool}))
