-- A fresh generator has a fixed seed.
local torch = require "torch"
local g = torch.Generator()
print(g:initial_seed())
print(torch.rand(3, {generator = g}))
torch.manual_seed(99)
print(torch.initial_seed())
