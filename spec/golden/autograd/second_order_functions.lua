-- Second derivatives of the pointwise functions.
local torch = require "torch"
local grad = torch.autograd.grad
local x = torch.tensor({0.3, 0.7, 1.2}, {requires_grad = true})
for _, name in ipairs{"exp", "log", "sin", "cos", "tanh", "sigmoid", "sqrt", "reciprocal", "square", "relu", "abs", "neg"} do
  local y = x[name](x):sum()
  local d1 = grad(y, x, {create_graph = true})
  print(name, d1:detach())
  if d1.requires_grad then
    local d2 = grad(d1:sum(), x, {allow_unused = true})
    print(name, d2)
  end
end
