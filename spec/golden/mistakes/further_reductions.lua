-- Reductions of nothing: further operators.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
mistake(torch.amax, torch.zeros(0))
mistake(torch.multinomial, torch.tensor{1.0, 2.0}, 3)
mistake(torch.multinomial, torch.tensor{-1.0, 2.0}, 1)
mistake(torch.multinomial, torch.tensor{0.0, 0.0}, 1)
