-- The arithmetic operators: further operators.
local torch = require "torch"
local a, b = torch.tensor{1.0, -2.5, 4.0}, torch.tensor{0.5, 2.0, -8.0}
local i = torch.tensor{7, -7, 2}
print(torch.multiply(a, b), torch.subtract(a, b), torch.divide(a, b), torch.true_divide(a, 2), torch.rsub(a, 1))
print(torch.addcmul(a, a, b, {value = 0.5}), torch.addcdiv(a, a, b, {value = 2}))
print(torch.lerp(a, b, 0.25))
