-- cat and stack copy.
local torch = require "torch"
local a, b = torch.arange(4):reshape(2, 2), torch.arange(10, 14):reshape(2, 2)
print(torch.cat{a, b})
print(torch.cat({a, b}, 1))
print(torch.cat{{a, b}, dim = -1})
print(torch.stack{a, b})
print(torch.stack({a, b}, 1))
print(torch.stack({a, b}, {dim = -1}))
print(torch.vstack{torch.arange(2), torch.arange(2)})
print(torch.hstack{torch.arange(2), torch.arange(3)})
print(torch.cat{a, torch.zeros(0, {dtype = torch.int64})})
print(torch.cat{a, b:double()})
print(torch.cat{torch.tensor{true}, torch.tensor{2}})
local c = torch.cat{a, b}
c[0] = 77
print(a)
print(torch.vstack{a, b}.shape, torch.hstack{a, b}.shape, torch.dstack{a, b}.shape)
print(torch.concat{a, b}.shape)
