-- Exponentials and logarithms: further operators.
local torch = require "torch"
local x = torch.tensor{-2.0, -0.5, 0.0, 0.5, 1.0, 3.0}
print(x:expm1())
print(x:exp2())
print(torch.logaddexp(x, torch.zeros(6)))
