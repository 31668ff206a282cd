-- The arithmetic operators.
local torch = require "torch"
local a, b = torch.tensor{1.0, -2.5, 4.0}, torch.tensor{0.5, 2.0, -8.0}
print(a + b, a - b, a * b, a / b)
print(a + 1, 1 + a, a - 1, 1 - a, a * 2, 2 * a, a / 2, 2 / a, -a)
print(a ^ 2, 2 ^ b, a:pow(3), torch.pow(a, 2), torch.pow(2, b))
print(torch.add(a, b, {alpha = 2}), torch.sub(a, b, {alpha = 0.5}), a:add(b), a:sub(1), a:mul(b), a:div(b))
local i = torch.tensor{7, -7, 2}
print(i + 1, i * i, i - 10, i / 2, 10 - i, -i)
print(torch.multiply(a, b), torch.subtract(a, b), torch.divide(a, b), torch.true_divide(a, 2), torch.rsub(a, 1))
print(torch.addcmul(a, a, b, {value = 0.5}), torch.addcdiv(a, a, b, {value = 2}))
print(torch.lerp(a, b, 0.25))
