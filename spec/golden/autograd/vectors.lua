-- Gradients of vectors.
local torch = require "torch"
local x = torch.tensor({1.0, 2.0, 3.0}, {requires_grad = true})
local w = torch.tensor({0.5, -1.0, 2.0}, {requires_grad = true})
local y = (x * w):sum()
y:backward()
print(x.grad)
print(w.grad)
local z = (x / w):sum()
z:backward()
print(x.grad)
print(w.grad)
x.grad = nil
print(x.grad)
;(x:exp() * 2):mean():backward()
print(x.grad)
