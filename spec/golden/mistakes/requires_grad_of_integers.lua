-- cpu only: calls numpy()
-- Only floating point numbers have gradients.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
mistake(torch.tensor, {1, 2}, {requires_grad = true})
mistake(function() torch.arange(3):requires_grad_() end)
mistake(function() torch.arange(3).requires_grad = true end)
mistake(torch.zeros, 2, {dtype = torch.bool, requires_grad = true})
mistake(torch.nn.Parameter, torch.arange(3))
mistake(function() return torch.ones(2, {requires_grad = true}):numpy() end)
mistake(function() torch.ones(2):sum():backward() end)
mistake(function() torch.ones(2, {requires_grad = true}):backward() end)
mistake(function() (torch.ones(2, {requires_grad = true}) * 2).requires_grad = false end)
mistake(torch.autograd.grad, torch.ones(1), torch.ones(1))
