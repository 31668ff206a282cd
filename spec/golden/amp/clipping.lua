-- cpu only: asks what autocast does on the CPU
-- torch.nn.utils on gradients: norms and clipping.
local torch = require "torch"
local utils = torch.nn.utils
local function parameters()
  local a, b, c = torch.zeros(2, 3, {requires_grad = true}), torch.zeros(4, {requires_grad = true}), torch.zeros(2, {requires_grad = true})
  a.grad = torch.arange(6.0):view(2, 3)
  b.grad = torch.tensor{-1.0, 2.0, -3.0, 4.0}
  return a, b, c
end
for _, order in ipairs{2.0, 1.0, 3.0, math.huge} do
  local a, b, c = parameters()
  print(order, utils.clip_grad_norm_({a, b, c}, 1.5, order), a.grad, b.grad, c.grad)
end
local a, b, c = parameters()
print(utils.clip_grad_norm_({a, b}, 1000.0), a.grad)
print(utils.clip_grad_norm_({c}, 1.0))
print(utils.clip_grad_norm_(a, 2.0), a.grad)
print(utils.get_total_norm{{a.grad, b.grad}, norm_type = 1.0})
utils.clip_grads_with_norm_({a, b}, 1.0, torch.tensor(4.0))
print(a.grad, b.grad)
utils.clip_grad_value_({a, b, c}, 0.25)
print(a.grad, b.grad)
b.grad[0] = math.huge
print(utils.get_total_norm{b.grad})
print(utils.clip_grad_norm_({a, b}, 1.0), a.grad, b.grad)
local h = torch.zeros(3, {dtype = torch.bfloat16, requires_grad = true})
h.grad = torch.tensor({1.0, 2.0, 3.3}, {dtype = torch.bfloat16})
print(utils.clip_grad_norm_({h, a}, 1.0), h.grad)
