-- The names of gradient functions.
local torch = require "torch"
local x = torch.tensor({{0.5, 0.25}, {0.75, 0.125}}, {requires_grad = true})
local function name(y) print(y.grad_fn:name()) end
name(x + 1) name(x - 1) name(1 - x) name(x * 2) name(x / 2) name(1 / x) name(x ^ 2) name(2 ^ x) name(-x)
name(x + x) name(x - x) name(x * x) name(x / x) name(x ^ x) name(x % 2)
for _, f in ipairs{"exp", "log", "sqrt", "abs", "sin", "cos", "tan", "tanh", "sigmoid", "relu", "neg", "reciprocal",
                   "square", "rsqrt", "floor", "ceil", "round", "trunc", "sign", "sum", "mean", "max", "min", "clone", "t", "contiguous", "flatten", "squeeze"} do
  local y = x[f](x)
  print(f, y.grad_fn and y.grad_fn:name())
end
