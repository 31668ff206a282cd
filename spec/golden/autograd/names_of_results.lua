-- Names of what products and losses end with, and what of it is a view.
local torch = require "torch"
local F = torch.nn.functional
local row, m = torch.ones(3, {requires_grad = true}), torch.ones(3, 4, {requires_grad = true})
local y = torch.matmul(row, m)
print(y.grad_fn:name(), y._version, y:_is_view())
y["1:2"] = 5
print(y)
local z = F.linear(row, m.T)
torch.no_grad(function() z:mul_(2) end)
print(z)
local x = torch.tensor({0.5, -1}, {dtype = torch.float64, requires_grad = true})
local target = torch.tensor{0.25, 1}
for _, reduction in ipairs{"none", "mean", "sum"} do
  local loss = F.binary_cross_entropy_with_logits(x, target, {reduction = reduction})
  print(loss)
  print(torch.autograd.grad(loss:sum(), x))
  print(F.huber_loss(x:float(), target:double(), {reduction = reduction}))
end
for _, dtype in ipairs{torch.bool, torch.int64} do print(select(2, pcall(torch.nanmean, target, {dtype = dtype})).message) end
for _, bias in ipairs{torch.ones(1), torch.ones(2, 5), torch.ones{}} do
  print(select(2, pcall(F.bilinear, torch.ones(2, 3), torch.ones(2, 4), torch.ones(5, 3, 4), bias)).message)
end
