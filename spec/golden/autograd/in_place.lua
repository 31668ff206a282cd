-- Operations in place are part of the graph.
local torch = require "torch"
local x = torch.tensor({1.0, 2.0, 3.0}, {requires_grad = true})
local y = x * 2
y:add_(1)
print(y)
y:mul_(3)
print(y)
y:sum():backward()
print(x.grad)
x.grad = nil
y = x:clone()
y:exp_()
print(y.grad_fn:name())
y:sum():backward()
print(x.grad)
x.grad = nil
y = x * 1
y:neg_()
y:relu_()
print(y)
y:sum():backward()
print(x.grad)
