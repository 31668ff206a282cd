-- Full backward hooks of modules: order, replaced gradients, inputs without gradients, removal, several values.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(0)
local m = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
local function name(mod) return tostring(mod):match "^%w+" end
local h = m[0]:register_full_backward_hook(function(mod, gi, go) print("full", name(mod), gi[1], go[1]) end)
local h2 = m[2]:register_full_backward_pre_hook(function(_, go) return {go[1] * 2} end)
local h3 = m[1]:register_full_backward_hook(function(_, gi) return {gi[1] * 10} end)
local x = torch.tensor{{1., 2.}}
local y = m(x)
print(y)
y:sum():backward()
print(m[0].weight.grad, m[2].weight.grad)
x.requires_grad = true
m:zero_grad()
m(x):sum():backward()
print(x.grad)
h:remove() h2:remove() h3:remove()
m:zero_grad()
x.grad = nil
y = m(x)
print(y)
y:sum():backward()
print(x.grad)
h = m[0]:register_full_backward_hook(function(_, gi) return {gi[1] or torch.ones(1)} end)
print((select(2, pcall(function() m(x:detach()):sum():backward() end)).message))
h:remove()
-- of the whole, whose result may not be changed in place
h = m:register_full_backward_hook(function(mod, gi, go) print(name(mod), gi[1], go[1]) end)
y = m(x)
print(y.grad_fn:name(), select(2, pcall(function() y:mul_(2) end)).message)
y:sum():backward({retain_graph = true})
y:sum():backward()
torch.no_grad(function() print(m(x)) end)
h:remove()
-- several inputs, of which one has no gradient
local Two = nn.Module:extend "Two"
function Two:forward(a, b) return a * b, a + 1 end
local two = Two()
two:register_full_backward_hook(function(_, gi, go) print(gi[1], gi[2], go[1], go[2]) end)
two:register_full_backward_pre_hook(function(_, go) print("before", go[1], go[2]) end)
local a = torch.tensor({1., 2.}, {requires_grad = true})
local p, q = two(a, torch.tensor{3., 4.});
(p * 2 + q):sum():backward()
print(a.grad)
p = two(a, a);
p:sum():backward()
print(a.grad)
-- hooks of parts of a Sequential
local s = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 1)))
s[1][1]:register_forward_hook(function(mod, _, out) print(name(mod), out.shape) return out * 2 end)
s[0]:register_forward_pre_hook(function(mod, args) print(name(mod), args[1].shape) end)
print(s(torch.ones(1, 2)).grad_fn:name())
