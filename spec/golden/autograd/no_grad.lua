-- Nothing is recorded inside no_grad.
local torch = require "torch"
local x = torch.ones(2, {requires_grad = true})
print(torch.is_grad_enabled())
do
  local _ <close> = torch.no_grad()
  print(torch.is_grad_enabled(), (x * 2).requires_grad)
  do
    local _ <close> = torch.enable_grad()
    print(torch.is_grad_enabled(), (x * 2).requires_grad)
  end
  print(torch.is_grad_enabled())
  x:mul_(3)
end
print(torch.is_grad_enabled(), x)
print(torch.no_grad(function() return (x * 2).requires_grad, torch.is_grad_enabled() end))
print(torch.is_grad_enabled())
local ok, err = pcall(torch.no_grad, function() error("inside", 0) end)
print(ok, (tostring(err):match "[^\n]*"), torch.is_grad_enabled())
