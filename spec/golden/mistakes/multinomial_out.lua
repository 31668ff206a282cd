-- multinomial looks at out='s dtype before it draws.
local torch = require "torch"
torch.manual_seed(0)
local function try(weights, n)
  local ok, result = pcall(torch.multinomial, weights, n, {out = torch.empty({2}, {dtype = torch.float64})})
  print(ok and result or tostring(result):match "[^\n]*")
end
try(torch.zeros(3), 2)
try(torch.ones(3), 5)
try(-torch.ones(3), 2)
print(torch.rand(2))
