-- expand, expand_as, broadcast_to and rep.
local torch = require "torch"
local x = torch.tensor{{1}, {2}, {3}}
print(x:expand(3, 2))
print(x:expand(-1, 4))
print(x:expand(2, 3, 1).shape)
print(x:expand{3, 3})
print(x:expand_as(torch.zeros(3, 5)).shape)
print(torch.tensor(7):expand(2, 2))
print(x:broadcast_to({3, 2}).shape)
print(torch.tensor{1, 2}:rep(2))
print(torch.tensor{1, 2}:rep(2, 2))
print(torch.tensor{{1, 2}}:rep(2, 1, 3))
local a, b = table.unpack(torch.broadcast_tensors(torch.zeros(3, 1), torch.zeros(4)))
print(a.shape, b.shape)
print(torch.tensor{1, 2, 3}:repeat_interleave(2))
print(torch.tile(torch.tensor{1, 2}, {2, 2}))
