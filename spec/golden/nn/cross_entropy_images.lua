-- Cross entropy over more than two dimensions.
local torch = require "torch"
local F = torch.nn.functional
local x = (torch.arange(24.):reshape(2, 3, 2, 2) % 5) / 2
local y = torch.tensor{{{0, 1}, {2, 1}}, {{2, 2}, {0, 1}}}
print(F.cross_entropy(x, y), F.cross_entropy(x, y, {reduction = "sum"}))
print(F.cross_entropy(x, y, {reduction = "none"}))
print(F.cross_entropy(x, y, {ignore_index = 1, weight = torch.tensor{1.0, 2.0, 3.0}}))
