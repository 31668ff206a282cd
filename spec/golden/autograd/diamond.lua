-- A tensor used many times.
local torch = require "torch"
local x = torch.tensor(2.0, {requires_grad = true})
local y = x * x
local z = y + y * x + x
z:backward()
print(x.grad)
x.grad = nil
x = torch.tensor(0.5, {requires_grad = true})
local a = x:exp()
local b = a * a
local c = a + b
;(c * b):backward()
print(x.grad)
local s = torch.zeros(1)
for i = 1, 10 do s = s + x * i end
x.grad = nil
s:backward()
print(x.grad)
