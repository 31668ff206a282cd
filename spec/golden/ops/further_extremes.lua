-- max, min, argmax, argmin and ties: further operators.
local torch = require "torch"
local x = torch.tensor{{3.0, 1.0, 3.0}, {0.0, 5.0, 5.0}}
local values, indices = x:max(1)
local nan = torch.cat{torch.tensor{1.0}, torch.tensor{0.0} / 0, torch.tensor{2.0}}
print(x:amax(), x:amin(0), x:amax{dim = 1, keepdim = true})
print(torch.max(x, torch.tensor(2.0)), torch.min(x, x.T:reshape(2, 3)))
print(torch.aminmax(x))
