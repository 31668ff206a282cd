-- Hooks on tensors see and change gradients.
local torch = require "torch"
local x = torch.tensor({1.0, 2.0}, {requires_grad = true})
local handle = x:register_hook(function(grad) print("hook", grad) end)
;(x * 3):sum():backward()
print(x.grad)
handle:remove()
;(x * 3):sum():backward()
print(x.grad)
x.grad = nil
x:register_hook(function(grad) return grad * 10 end)
x:sum():backward()
print(x.grad)
local y = x * 2
y:register_hook(function(grad) print("inner", grad); return grad + 1 end)
x.grad = nil
;(y * y):sum():backward()
print(x.grad)
