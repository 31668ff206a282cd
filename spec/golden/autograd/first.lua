-- A first gradient.
local torch = require "torch"
local x = torch.tensor(3.0, {requires_grad = true})
local y = x ^ 2 + 2 * x + 1
print(y)
y:backward()
print(x.grad)
print(x.grad.requires_grad, y.requires_grad, y.is_leaf, x.is_leaf)
print(x.grad_fn, y.grad_fn:name())
