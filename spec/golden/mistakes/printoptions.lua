-- Printing and defaults.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
mistake(torch.set_default_dtype, torch.int64)
mistake(torch.set_printoptions, {digits = 3})
mistake(torch.set_default_dtype, 3)
print(torch.ones(2), torch.get_default_dtype())
