-- Results of broadcasting that no out= can hold.
local torch = require "torch"
local function refused(f, ...)
  local ok, err = pcall(f, ...)
  print(ok, (tostring(err):match "[^\n]*"))
end
for _, n in ipairs {1 << 32, 1 << 31, 1 << 40} do
  local rows, columns = torch.zeros(1, 1):expand(n, 1), torch.zeros(1, 1):expand(1, n)
  refused(torch.gcd, rows, columns, {out = torch.zeros(0)})   -- a dtype that it lacks is told of later
  refused(torch.bitwise_xor, rows, columns, {out = torch.zeros(0)})
end
