-- Results stored in a tensor that exists.
local torch = require "torch"
local out = torch.zeros(3)
torch.add(torch.ones(3), torch.arange(3.), {out = out})
print(out)
torch.exp(torch.zeros(3), {out = out})
print(out)
local m = torch.empty(0)
torch.mm(torch.ones(2, 2), torch.ones(2, 2), {out = m})
print(m)
torch.mul(torch.arange(3.), 2, {out = out})
print(out)
