-- Reductions of nothing.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
mistake(torch.max, torch.zeros(0))
mistake(torch.min, torch.zeros(0))
mistake(torch.argmax, torch.zeros(0))
mistake(torch.argmin, torch.zeros(2, 0))
mistake(torch.max, torch.zeros(0, 3), 0)
mistake(torch.argmax, torch.zeros(0, 3), {dim = 0})
print(torch.zeros(0):sum(), torch.zeros(0):mean(), torch.zeros(0, 3):sum(0))
mistake(torch.bernoulli, torch.tensor{1.5})
mistake(function() return torch.zeros(2):bernoulli_(1.5) end)
mistake(function() return torch.zeros(2):uniform_(2, 1) end)
mistake(function() return torch.zeros(2):normal_(0, -1) end)
mistake(function() return torch.zeros(2):random_(5, 5) end)
mistake(torch.amax, torch.zeros(0))
mistake(torch.multinomial, torch.tensor{1.0, 2.0}, 3)
mistake(torch.multinomial, torch.tensor{-1.0, 2.0}, 1)
mistake(torch.multinomial, torch.tensor{0.0, 0.0}, 1)
for _, dtype in ipairs{torch.int64, torch.bool, torch.float16} do
  mistake(torch.linalg.vector_norm, torch.ones(3), {dtype = dtype})
  mistake(torch.linalg.norm, torch.ones(3), {dtype = dtype})
  mistake(torch.norm, torch.ones(3), {dtype = dtype})
end
