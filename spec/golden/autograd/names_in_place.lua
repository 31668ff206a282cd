-- The names after operations in place.
local torch = require "torch"
local x = torch.ones(2, 3, {requires_grad = true})
for _, f in ipairs{"exp_", "sqrt_", "relu_", "neg_", "zero_", "tanh_", "sigmoid_", "abs_", "reciprocal_"} do
  local y = x * 1
  print(f, y[f](y).grad_fn:name())
end
local y = x * 1
print((y:add_(1)).grad_fn:name())
print((y:sub_(1)).grad_fn:name())
print((y:mul_(2)).grad_fn:name())
print((y:div_(2)).grad_fn:name())
print((y:pow_(2)).grad_fn:name())
print((y:fill_(2)).grad_fn:name())
print((y:copy_(x)).grad_fn:name())
y[0] = 1
print(y.grad_fn:name(), y[0].grad_fn:name())
y = x * 1
y[y:gt(0)] = 2
print(y.grad_fn:name())
y = x * 1
y:view(6):add_(1)
print(y.grad_fn:name(), y:view(6).grad_fn:name())
y:masked_fill_(y:gt(0), 3)
print(y.grad_fn:name())
