-- Which tensors are leaves.
local torch = require "torch"
local a = torch.ones(2)
local b = torch.ones(2, {requires_grad = true})
local c = b * 2
print(a.is_leaf, b.is_leaf, c.is_leaf, c:detach().is_leaf)
print(a.grad, b.grad)
a:requires_grad_()
print(a)
a:requires_grad_(false)
print(a)
a.requires_grad = true
print((a + 1).requires_grad)
print(torch.nn.Parameter(a):detach().requires_grad)
print(b:to(torch.float64).is_leaf, b:to(torch.float32).is_leaf, b:float().is_leaf)
print(torch.rand(2, {requires_grad = true}).is_leaf, (torch.rand(2, {requires_grad = true}) + 10).is_leaf)
c:retain_grad()
c:sum():backward()
print(c.grad, b.grad, c.retains_grad)
