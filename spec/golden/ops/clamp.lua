-- clamp, where, masked_fill.
local torch = require "torch"
local x = torch.tensor{-2.0, -0.5, 0.5, 2.0}
print(x:clamp(-1, 1), x:clamp{min = 0}, x:clamp{max = 0}, torch.clamp(x, {min = -0.5, max = 0.5}), torch.clip(x, 0, 1))
print(torch.where(x:gt(0), x, torch.zeros(4)), torch.where(x:gt(0), x, -1), torch.where(x:gt(0), 1, 0))
print(x:masked_fill(x:lt(0), 0), torch.where(torch.tensor{{true}, {false}}, x, -x))
print(x:clamp(1, -1), x:clamp_min(0), x:clamp_max(1), x:clamp(torch.tensor{0.0, 0.0, 1.0, 1.0}))
print(torch.nan_to_num(torch.tensor{0 / 0, 1 / 0, -1 / 0, 1.0}, {nan = 0.0, posinf = 9.0, neginf = -9.0}))
print(torch.nonzero(torch.tensor{0, 3, 0, 5}), torch.tensor{{0, 1}, {1, 1}}:nonzero())
