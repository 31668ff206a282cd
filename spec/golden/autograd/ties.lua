-- Gradients where the largest element is not alone.
local torch = require "torch"
local x = torch.tensor({3.0, 1.0, 3.0}, {requires_grad = true})
print((torch.autograd.grad(x:max(), x)))
print((torch.autograd.grad((x:max(0)), x)))
print((torch.autograd.grad(x:min(), x)))
local y = torch.tensor({0.0, -1.0, 2.0}, {requires_grad = true})
print((torch.autograd.grad(y:relu():sum(), y)))
print((torch.autograd.grad(y:abs():sum(), y)))
print((torch.autograd.grad(y:clamp(0, 2):sum(), y)))
print((torch.autograd.grad(y:sign():sum(), y)))
print((torch.autograd.grad(y:clamp{min = 0}:sum(), y)))
print((torch.autograd.grad(x:amax(), x)))
print((torch.autograd.grad(torch.maximum(y, torch.zeros(3)):sum(), y)))
