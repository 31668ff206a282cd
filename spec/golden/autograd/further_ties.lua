-- Gradients where the largest element is not alone: further operators.
local torch = require "torch"
local x = torch.tensor({3.0, 1.0, 3.0}, {requires_grad = true})
local y = torch.tensor({0.0, -1.0, 2.0}, {requires_grad = true})
print((torch.autograd.grad(x:amax(), x)))
print((torch.autograd.grad(torch.maximum(y, torch.zeros(3)):sum(), y)))
