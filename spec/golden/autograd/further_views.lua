-- Gradients of the views: further operators.
local torch = require "torch"
local x = torch.arange(1., 7., {requires_grad = true})
local function show(y)
  local weights = torch.arange(1., y:numel() + 1):reshape(y.shape)
  print((torch.autograd.grad((y * weights):sum(), x)))
end
show(x:flip(0))
show(x:rep(2))
