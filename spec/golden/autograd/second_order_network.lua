-- A gradient penalty through a small network.
local torch = require "torch"
local F = torch.nn.functional
local x = torch.tensor({{0.5, -1.0}, {2.0, 0.25}}, {requires_grad = true})
local w1 = torch.tensor({{1.0, 0.5}, {-0.5, 2.0}, {0.25, 1.0}}, {requires_grad = true})
local b1 = torch.tensor({0.1, 0.2, 0.3}, {requires_grad = true})
local w2 = torch.tensor({{1.0, -1.0, 0.5}}, {requires_grad = true})
local out = F.linear(F.linear(x, w1, b1):tanh(), w2)
local g = torch.autograd.grad(out:sum(), x, {create_graph = true})
print(g:detach())
local penalty = ((g ^ 2):sum(1):sqrt() - 1):pow(2):mean()
print(penalty:detach())
penalty:backward()
print(x.grad)
print(w1.grad)
print(b1.grad)
print(w2.grad)
