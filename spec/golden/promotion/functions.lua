-- Functions of integers answer floats.
local torch = require "torch"
for _, name in ipairs{"exp", "sqrt", "sin", "tanh", "sigmoid", "reciprocal", "rsqrt"} do
  local x = torch.tensor{1, 4}
  print(name, x[name](x), x:int()[name](x:int()).dtype, x:half()[name](x:half()).dtype, x:double()[name](x:double()).dtype, x:bool()[name](x:bool()).dtype)
end
for _, name in ipairs{"abs", "neg", "square", "sign", "floor", "ceil", "round", "trunc", "relu"} do
  local x = torch.tensor{-2, 3}
  print(name, x[name](x), x:short()[name](x:short()).dtype)
end
