-- torch.randn in whole and in broken blocks of 16.
local torch = require "torch"
for _, n in ipairs{31, 32, 33, 47, 48, 100} do
  torch.manual_seed(1)
  local x = torch.randn(n)
  print(n, x["-5:"])
end
torch.manual_seed(1)
print(torch.randn(1000)["500:504"], torch.randn(3))
