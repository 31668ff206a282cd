-- Gradients of gradients.
local torch = require "torch"
local grad = torch.autograd.grad
local x = torch.tensor(2.0, {requires_grad = true})
local y = x ^ 4
local d1 = grad(y, x, {create_graph = true})
print(d1)
local d2 = grad(d1, x, {create_graph = true})
print(d2)
local d3 = grad(d2, x, {create_graph = true})
print(d3)
local d4 = grad(d3, x)
print(d4)
