-- where, clamp, maximum and cat.
local torch = require "torch"
local c = torch.tensor{true, false}
local i, f, d = torch.tensor{1, 2}, torch.tensor{0.5, 1.5}, torch.tensor({0.25, 0.75}, {dtype = torch.float64})
print(torch.where(c, i, f), torch.where(c, f, d), torch.where(c, i, 0), torch.where(c, i, 0.5), torch.where(c, 1, 0), torch.where(c, 1.0, 0.0))
print(torch.where(c, 1, 2.5), torch.where(c, f, torch.tensor(7, {dtype = torch.float64})), i:where(c, -1))
print(torch.clamp(i, 1.5), torch.clamp(i, 0, 1), torch.clamp(f, 1), torch.maximum(i, f), torch.minimum(f, d))
print(torch.cat{i, f}.dtype, torch.cat{f, d}.dtype, torch.cat{i, c}, torch.stack{i, f}.dtype)
