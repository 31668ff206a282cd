-- Backward that can be differentiated again.
local torch = require "torch"
local x = torch.tensor({1.0, 2.0, 3.0}, {requires_grad = true})
local y = (x ^ 3):sum()
local g = torch.autograd.grad(y, x, {create_graph = true})
print(g.requires_grad)
local penalty = (g ^ 2):sum()
penalty:backward()
print(x.grad)
x.grad = nil
local z = (x:exp()):sum()
z:backward{create_graph = true}
print(x.grad.requires_grad)
x.grad:sum():backward()
print(x.grad.requires_grad)
