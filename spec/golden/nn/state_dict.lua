-- Saving and loading the state of a module.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(2)
local a = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
local b = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
local sd = a:state_dict()
print(#sd)
for name, t in pairs(sd) do print(name, t.shape, t.requires_grad) end
print(sd["0.bias"])
print(sd["2.weight"])
print(sd.missing)
print(b:load_state_dict(sd))
local x = torch.ones(1, 2)
print(torch.equal(a(x), b(x)))
torch.no_grad(function() a[0].bias:zero_() end)
print(sd["0.bias"])
print(b[0].bias)
print(torch.equal(a(x), b(x)))
