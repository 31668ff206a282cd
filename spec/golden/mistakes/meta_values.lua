-- A comparison whose answer is one bool has none on the meta device.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local m = torch.empty(3, {device = "meta"})
mistake(torch.equal, m, m)
mistake(torch.allclose, m, m)
mistake(m.item, m)
