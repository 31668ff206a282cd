-- Rounding.
local torch = require "torch"
local x = torch.tensor{-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.49, -0.2}
for _, name in ipairs{"floor", "ceil", "round", "trunc", "abs", "neg", "sign"} do
  print(name, x[name](x))
end
print(torch.tensor{-3, 0, 5}:sign(), torch.tensor{-3, 0, 5}:abs())
print(torch.round(torch.tensor{1.2345, 2.3456}, {decimals = 2}))
print(torch.absolute(x), torch.negative(x), torch.fix(x))
