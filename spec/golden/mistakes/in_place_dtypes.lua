-- A result cannot be stored in place.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local i = torch.arange(4)
mistake(function() return i:add_(1.5) end)
mistake(function() return i:mul_(torch.ones(4)) end)
mistake(function() return i:div_(2) end)
mistake(function() return torch.tensor{true}:add_(1) end)
mistake(function() return i:sqrt_() end)
mistake(function() return i:exp_() end)
mistake(function() return torch.zeros(2, {dtype = torch.int32}):sub_(0.5) end)
mistake(function() return torch.zeros(2, {dtype = torch.bool}):add_(torch.ones(2)) end)
mistake(function() return i:sigmoid_() end)
mistake(function() return i:pow_(0.5) end)
mistake(function() return i:pow_(-1) end)
