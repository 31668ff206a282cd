-- Second derivatives of softmax and its losses.
local torch = require "torch"
local grad, F = torch.autograd.grad, torch.nn.functional
local x = torch.tensor({{1.0, 2.0, 0.5}, {0.1, -1.0, 3.0}}, {requires_grad = true})
local weights = torch.tensor{{1.0, 2.0, 3.0}, {3.0, 2.0, 1.0}}
for _, f in ipairs{function() return (x:softmax(1) * weights):sum() end,
                   function() return (x:log_softmax(1) * weights):sum() end,
                   function() return F.cross_entropy(x, torch.tensor{0, 2}) end,
                   function() return F.mse_loss(x, weights) end} do
  local g = grad(f(), x, {create_graph = true})
  print(g:detach())
  print((grad((g * weights):sum(), x)))
end
