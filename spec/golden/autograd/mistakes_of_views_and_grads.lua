-- Gradients of what has none, writes into views, .grad and .data of another shape or dtype.
local torch = require "torch"
local function mistake(f)
  local ok, err = pcall(f)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local x = torch.ones(2, 2, {requires_grad = true})
mistake(function() x:argmax():backward() end)
mistake(function() x:gt(0):sum():backward() end)
mistake(function() x:long():sum():backward() end)
local a = (x * 2):unbind()[1]
mistake(function() a:add_(1) end)
mistake(function() (x * 2):chunk(2)[1]:mul_(2) end)
mistake(function() x.grad = torch.ones(3) end)
mistake(function() x.grad = torch.ones(2, 2, {dtype = torch.float64}) end)
mistake(function() x.data = torch.ones(3, {dtype = torch.int64}) end)
mistake(function() x:expand(2, 2, 2):add_(1) end)
mistake(function() x:detach():expand(3, 2, 2):add_(1) end)
mistake(function() torch.ones(1):register_hook(print) end)
mistake(function() x:detach():retain_grad() end)
mistake(function() torch.add(x, x, {out = torch.ones(2, 2)}) end)
mistake(function() torch.nn.functional.cross_entropy(x, torch.tensor{0, 1}):backward(torch.ones(3)) end)
