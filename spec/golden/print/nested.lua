-- Three, four and five dimensions.
local torch = require "torch"
print(torch.arange(8):reshape(2, 2, 2))
print(torch.arange(16):reshape(2, 2, 2, 2))
print(torch.arange(8):reshape(2, 1, 2, 1, 2))
print(torch.ones(1, 1, 1))
print(torch.zeros(2, 1, 3))
print(torch.tensor{{{1.5}}, {{-2.25}}})
