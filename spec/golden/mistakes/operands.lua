-- cpu only: integers divided by zero are no error there
-- Operators between things that do not go together.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local x = torch.ones(2)
mistake(function() return x // torch.ones(3) end)
mistake(function() return torch.arange(3) // 0 end)
mistake(function() return torch.arange(3) % 0 end)
mistake(function() return torch.arange(3) // torch.zeros(3, {dtype = torch.int64}) end)
mistake(function() return torch.arange(3) ^ -1 end)
mistake(torch.pow, 2, 3)
mistake(torch.div, x, x, {rounding_mode = "down"})
mistake(torch.clamp, x, {min = "a"})
mistake(torch.add, torch.arange(3), torch.arange(3), {alpha = 0.5})
mistake(torch.sub, x, true)
mistake(function() return torch.tensor{true, false} - true end)
mistake(torch.fmod, torch.arange(3), 0)
mistake(torch.add, torch.tensor{true}, torch.tensor{true}, {alpha = 1.5})
