-- floor_divide has no derivative; detach_ leaves the graph; writing over a part of what is read.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local w = torch.tensor({1.0, 2.0, 5.0}, {requires_grad = true})
print(w // 2, w:floor_divide(2))
mistake(function() (w // 2):sum():backward() end)
local y = w * 2
print(y:detach_(), y.requires_grad, y.is_leaf)
mistake(function() w:view(3, 1):detach_() end)
local a = torch.arange(9.0):view(3, 3)
mistake(function() a:add_(a:t()) end)
mistake(function() a[0]:mul_(a[":, 0"]) end)
mistake(function() a:view(-1)["1:"]:add_(a:view(-1)[":-1"]) end)
mistake(function() a:sub_(a[0]) end)
mistake(function() a:div_(a["0, 1"]) end)
mistake(function() a:mul_(a) end)
print(a)
mistake(torch.nn.Parameter, torch.arange(3))
