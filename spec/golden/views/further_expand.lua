-- expand, expand_as, broadcast_to and rep: further operators.
local torch = require "torch"
local x = torch.tensor{{1}, {2}, {3}}
local a, b = table.unpack(torch.broadcast_tensors(torch.zeros(3, 1), torch.zeros(4)))
print(torch.tensor{1, 2, 3}:repeat_interleave(2))
print(torch.tile(torch.tensor{1, 2}, {2, 2}))
