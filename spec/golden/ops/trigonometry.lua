-- Sines and their relatives.
local torch = require "torch"
local x = torch.tensor{-1.0, -0.5, 0.0, 0.25, 0.75, 1.0}
for _, name in ipairs{"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh"} do
  print(name, x[name](x))
end
print(torch.atan2(x, torch.ones(6)))
print(torch.sin(torch.tensor{100.0, 1000.0}), torch.hypot(torch.tensor{3.0}, torch.tensor{4.0}))
