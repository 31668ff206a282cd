-- torch.nn.functional's plain functions.
local torch = require "torch"
local F = torch.nn.functional
print(F.linear(torch.ones(2, 3), torch.ones(4, 3)), F.linear(torch.ones(3), torch.ones(2, 3), torch.tensor{0.5, 1.0}))
print(F.one_hot(torch.tensor{0, 2, 1}), F.one_hot(torch.tensor{1}, {num_classes = 4}))
