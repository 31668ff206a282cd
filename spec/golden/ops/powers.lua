-- Powers.
local torch = require "torch"
local x, i = torch.tensor{2.0, -3.0, 0.5, 0.0}, torch.tensor{2, -3, 0}
print(x ^ 0, x ^ 1, x ^ 2, x ^ 3, x ^ -1, x ^ 0.5, x ^ -2)
print(i ^ 2, i ^ 3, i ^ 0, i ^ 2.0, i ^ -1.0)
print(2 ^ i:abs(), 2.5 ^ x, (-2) ^ torch.tensor{2.0, 3.0, 0.5})
print(x:square(), x:sqrt(), x:rsqrt(), x:reciprocal())
print(x ^ x, torch.pow(i:abs(), i:abs()))
