-- The meta device shows mistakes of devices on any machine. (Operands on two devices are left out: PyTorch 2.15 words
-- that differently from every tutorial, see docs/decisions.md.)
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local there = torch.ones(3, 3, {device = "meta"})
mistake(function() return there:item() end)
mistake(function() return torch.ones(1, {device = "meta"}):item() end)
mistake(function() return there:tolist() end)
mistake(function() return there:to("cpu") end)
mistake(function() return there:cpu() end)
mistake(function() return there:numpy() end)
