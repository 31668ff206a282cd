-- cpu only: has the CPU's digits
-- The gradients of activations by PyTorch's formulas: what they are off, on the average, is the formula's.
local torch = require "torch"
local F = torch.nn.functional

local function slope(f, x)
  x = x:clone():requires_grad_()
  f(x):sum():backward()
  return x.grad
end

-- Below 0 logsigmoid's is 1 less that of -x, to the bit.
local x = torch.linspace(-20, -0.001, 4099)
print((slope(F.logsigmoid, x) - (1 - slope(F.logsigmoid, -x))):abs():max())

-- The error function in gelu's is an approximation of seven digits, now above and now below.
for _, from in ipairs {0.05, 0.35, 0.75, 1.3, 1.9} do
  local part = torch.linspace(from, from + 0.15, 8192)
  local off = slope(F.gelu, part):double() - slope(F.gelu, part:double())
  print(from, off:mean():gt(2e-8), off:mean():lt(-2e-8))
end
