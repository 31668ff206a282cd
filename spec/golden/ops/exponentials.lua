-- Exponentials and logarithms.
local torch = require "torch"
local x = torch.tensor{-2.0, -0.5, 0.0, 0.5, 1.0, 3.0}
print(x:exp())
print(x:log())
print(x:log2())
print(x:log10())
print(x:log1p())
print(x:sigmoid())
print(x:tanh())
print(torch.exp(torch.tensor{88.0, 89.0, -80.0, -200.0}))
print(x:double():exp())
print(x:expm1())
print(x:exp2())
print(torch.logaddexp(x, torch.zeros(6)))
