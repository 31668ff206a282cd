-- Tensors that cannot be joined.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
mistake(torch.cat, {torch.ones(2, 3), torch.ones(2, 4)})
mistake(torch.cat, {torch.ones(2, 3), torch.ones(3)})
mistake(torch.cat, {torch.ones(2, 3), torch.ones(3, 3)}, {dim = 1})
mistake(torch.cat, {})
mistake(torch.cat, {torch.tensor(1), torch.tensor(2)})
mistake(torch.stack, {torch.ones(2), torch.ones(3)})
mistake(torch.stack, {})
mistake(torch.vstack, {torch.ones(2), torch.ones(3)})
mistake(torch.hstack, {torch.ones(2, 2), torch.ones(3, 2)})
mistake(torch.cat, torch.ones(3))
mistake(torch.cat, {torch.ones(2), 3})
mistake(torch.stack, {1, 2})
