-- cat and stack copy: further operators.
local torch = require "torch"
local a, b = torch.arange(4):reshape(2, 2), torch.arange(10, 14):reshape(2, 2)
local c = torch.cat{a, b}
print(torch.vstack{a, b}.shape, torch.hstack{a, b}.shape, torch.dstack{a, b}.shape)
print(torch.concat{a, b}.shape)
