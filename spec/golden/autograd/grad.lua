-- torch.autograd.grad returns as many gradients as there are inputs.
local torch = require "torch"
local grad = torch.autograd.grad
local a = torch.tensor(2.0, {requires_grad = true})
local b = torch.tensor(5.0, {requires_grad = true})
local y = a ^ 2 * b
local da, db = grad(y, {a, b})
print(da, db)
print(a.grad, b.grad)
local only = grad(a * 3, a)
print(only)
local v = torch.tensor({1.0, 2.0}, {requires_grad = true})
print((grad(v * v, v, {grad_outputs = torch.ones(2)})))
print((grad(v:sum(), {v})))
local ga, gb = grad(a * 2, {a, b}, {allow_unused = true})
print(ga, gb)
ga, gb = grad(a * 2, {a, b}, {allow_unused = true, materialize_grads = true})
print(ga, gb)
