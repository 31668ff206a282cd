-- Rounding: further operators.
local torch = require "torch"
local x = torch.tensor{-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.49, -0.2}
print(torch.round(torch.tensor{1.2345, 2.3456}, {decimals = 2}))
print(torch.absolute(x), torch.negative(x), torch.fix(x))
