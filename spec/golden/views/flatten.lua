-- flatten and unflatten.
local torch = require "torch"
local x = torch.arange(24):reshape(2, 3, 4)
print(x:flatten())
print(x:flatten(1).shape, x:flatten(0, 1).shape, x:flatten{start_dim = 1}.shape, x:flatten(-2).shape)
print(torch.flatten(x).shape, torch.tensor(3):flatten())
print(x:unflatten(2, {2, 2}).shape, x:unflatten(1, {3, -1}).shape)
print(x:ravel().shape)
