-- What backward needs must not be changed in place.
local torch = require "torch"
local function mistake(f)
  local ok, err = pcall(f)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local x = torch.ones(3, {requires_grad = true})
local y = x:exp()
y:add_(1)
mistake(function() y:sum():backward() end)
y = x * 2
local z = y * y
y:add_(1)
mistake(function() z:sum():backward() end)
local a = torch.ones(2, 2, {requires_grad = true})
local b = a:sigmoid()
b[0] = 0
mistake(function() b:sum():backward() end)
local w = torch.ones(2, 2, {requires_grad = true})
local out = torch.ones(1, 2):mm(w)
torch.no_grad(function() w:add_(1) end)
mistake(function() out:sum():backward() end)
out = (torch.ones(1, 2, {requires_grad = true})):mm(w)
torch.no_grad(function() w:add_(1) end)
mistake(function() out:sum():backward() end)
y = x + 1
y:add_(1)
mistake(function() y:sum():backward() end)
print(x.grad)
print(torch.zeros(2)._version, torch.zeros(2):add_(1)._version, y._version)
