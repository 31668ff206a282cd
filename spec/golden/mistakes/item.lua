-- Numbers from tensors that are not one number.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
mistake(function() return torch.ones(3):item() end)
mistake(function() return torch.zeros(0):item() end)
mistake(function() return torch.ones(2, 2):item() end)
mistake(function() return #torch.tensor(3) end)
mistake(function() return torch.ones(2) == torch.ones(2) end)
mistake(function() return torch.ones(2) < torch.ones(2) end)
mistake(function() return torch.ones(2) > 0 end)
mistake(function() return torch.zeros(0) == torch.zeros(0) end)
mistake(function() for _ in pairs(torch.tensor(3)) do end end)
mistake(function() return torch.ones(2):bool():item() end)
