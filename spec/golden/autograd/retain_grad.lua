-- A tensor inside the graph can keep its gradient.
local torch = require "torch"
local x = torch.tensor({1.0, 2.0}, {requires_grad = true})
local y = x * 2
local z = y * y
y:retain_grad()
z:sum():backward()
print(y.grad, x.grad)
print(y.retains_grad, x.retains_grad, z.retains_grad)
