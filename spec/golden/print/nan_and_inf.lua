-- nan and inf among numbers.
local torch = require "torch"
local inf, nan = math.huge, 0 / 0
nan = nan ~= nan and nan or -nan
local n = torch.tensor{0.0} / 0
print(torch.tensor{inf})
print(torch.tensor{inf, -inf})
print(torch.tensor{inf, 1.0})
print(torch.tensor{inf, 1.5})
print(torch.tensor{-inf, 2.0, 3.0})
print(n)
print(torch.cat{n, torch.tensor{1.0, 2.0}})
print(torch.cat{n, torch.tensor{1.5, inf, -inf}})
print(torch.cat{n, n})
print(torch.tensor{inf, 1e10, 1.0})
print(torch.cat{n, torch.tensor{1e-8, 1.0}})
print(torch.tensor({inf, 1.0}, {dtype = torch.float64}))
print(torch.tensor({1.0, inf}, {dtype = torch.float16}))
print(torch.tensor(inf))
print(n[0])
