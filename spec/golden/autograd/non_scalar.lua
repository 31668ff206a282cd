-- Backward with a gradient of one's own.
local torch = require "torch"
local x = torch.tensor({1.0, 2.0, 3.0}, {requires_grad = true})
local y = x * x
y:backward(torch.tensor{1.0, 0.1, 0.01})
print(x.grad)
x.grad = nil
;(x * x):backward{gradient = torch.ones(3)}
print(x.grad)
torch.autograd.backward(x:sum())
print(x.grad)
x.grad = nil
torch.autograd.backward({x:sum(), x:mean()})
print(x.grad)
