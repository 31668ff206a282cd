-- set_grad_enabled sets, or holds for a block.
local torch = require "torch"
local x = torch.ones(1, {requires_grad = true})
torch.set_grad_enabled(false)
print((x * 2).requires_grad)
torch.set_grad_enabled(true)
print((x * 2).requires_grad)
do
  local _ <close> = torch.set_grad_enabled(false)
  print(torch.is_grad_enabled())
end
print(torch.is_grad_enabled())
torch.set_grad_enabled(false, function() print(torch.is_grad_enabled()) end)
print(torch.is_grad_enabled())
do
  local _ <close> = torch.no_grad()
  torch.set_grad_enabled(true)
  print(torch.is_grad_enabled())
end
print(torch.is_grad_enabled())
