-- Gradients have the dtype of their leaf.
local torch = require "torch"
local x = torch.ones(2, {dtype = torch.float64, requires_grad = true})
local y = torch.ones(2, {requires_grad = true})
;(x * y):sum():backward()
print(x.grad, y.grad)
local h = torch.ones(2, {dtype = torch.bfloat16, requires_grad = true})
;(h:float() * 3):sum():backward()
print(h.grad)
local z = torch.ones(2, {requires_grad = true})
z:double():sum():backward()
print(z.grad)
z.grad = nil
;(z * torch.arange(2)):sum():backward()
print(z.grad)
