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
for _, dtype in ipairs{torch.int64, torch.bool, torch.float16} do
  mistake(torch.linalg.vector_norm, torch.ones(3), {dtype = dtype})
  mistake(torch.linalg.norm, torch.ones(3), {dtype = dtype})
  mistake(torch.norm, torch.ones(3), {dtype = dtype})
end
