-- permute, transpose, T and their relatives: further operators.
local torch = require "torch"
local x = torch.arange(6):reshape(1, 2, 3)
print(x:movedim(0, 2).shape, x:swapaxes(0, 1).shape)
