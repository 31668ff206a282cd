-- flip, roll and triangles copy.
local torch = require "torch"
local x = torch.arange(6):reshape(2, 3)
print(x:flip(0))
print(x:flip(0, 1))
print(torch.flip(x, {1}))
print(x:roll(1))
print(x:roll(1, 1))
print(torch.ones(3, 3):tril())
print(torch.ones(3, 3):triu(1))
