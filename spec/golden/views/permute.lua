-- permute, transpose, T and their relatives.
local torch = require "torch"
local x = torch.arange(6):reshape(1, 2, 3)
print(x:permute(2, 1, 0))
print(x:permute{1, 0, 2}.shape, torch.permute(x, {-1, 0, 1}).shape)
print(x:transpose(1, 2))
print(x:transpose(0, -1).shape, torch.transpose(x, 0, 1).shape)
print(x.mT)
print(x[0].T, x[0]:t(), x[0].mT)
print(torch.tensor{1, 2}.T, torch.tensor{1, 2}:t())
print(x[0].H)
print(x:movedim(0, 2).shape, x:swapaxes(0, 1).shape)
