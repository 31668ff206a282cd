-- cpu only: has the CPU's digits of 16 bits
-- Losses, gates and statistics of 16 bits: which steps are rounded shows.
local torch = require "torch"
torch.set_printoptions{precision = 5, sci_mode = false}
local F = torch.nn.functional
local function slopes(name, f, ...)
  local out = f(...)
  torch.manual_seed(3)
  out:backward(torch.randn(out.shape):to(out.dtype))
  print(name, out:detach():flatten()["-6:"])
  for _, t in ipairs {...} do if t.grad then print("", t.grad:flatten()["-6:"]) t.grad = nil end end
end
for _, dtype in ipairs {torch.bfloat16, torch.float16} do
  torch.manual_seed(0)
  local function leaf(...) return torch.randn(...):to(dtype):requires_grad_() end
  local x, y = leaf(4, 16), leaf(4, 16)
  local share = torch.rand(4, 16):to(dtype):requires_grad_()
  local target = torch.rand(4, 16):to(dtype)
  local weight = torch.rand(16):to(dtype)
  for _, reduction in ipairs {"none", "mean", "sum"} do
    slopes("mse " .. reduction, function(a, b) return F.mse_loss(a, b, {reduction = reduction}) end, x, y)
    if dtype == torch.bfloat16 then
      slopes("huber " .. reduction, function(a, b) return F.huber_loss(a, b, {reduction = reduction, delta = 0.7}) end, x, y)
    end
    slopes("bce " .. reduction, function(a) return F.binary_cross_entropy(a, target, {reduction = reduction}) end, share)
    slopes("logits " .. reduction, function(a) return F.binary_cross_entropy_with_logits(a, target, {reduction = reduction}) end, x)
    slopes("weighted " .. reduction, function(a)
      return F.binary_cross_entropy_with_logits(a, target, {reduction = reduction, pos_weight = weight, weight = weight})
    end, x)
  end
  slopes("glu", F.glu, x)
  slopes("erf", torch.erf, x)
  slopes("erfc", torch.erfc, x)
  slopes("bilinear", function(a, b, w) return F.bilinear(a, b, w):detach() + a:sum() * 0 end, leaf(5, 3), leaf(5, 4), leaf(6, 3, 4))
end
do
  torch.manual_seed(1)
  local x, g = torch.randn(64):bfloat16():requires_grad_(), torch.randn(64):bfloat16()
  local share = torch.rand(64):bfloat16()
  F.logsigmoid(x):backward(g)
  print(x.grad["-6:"])
  print(torch.xlogy(g, share)["-6:"], torch.logit(share)["-6:"])
  local root = share:clone():requires_grad_()
  root:pow(0.5):backward(g)
  print(root.grad["-6:"])
end
-- a batch counted in bfloat16
for _, size in ipairs {{9, 12}, {2, 4, 90}, {1, 8, 320}, {3, 5, 4, 4}} do
  torch.manual_seed(2)
  local x = (torch.randn(table.unpack(size)) * 3 + 1):bfloat16():requires_grad_()
  local norm = #size == 2 and torch.nn.BatchNorm1d(12) or #size == 3 and torch.nn.BatchNorm1d(size[2]) or torch.nn.BatchNorm2d(5)
  norm:to(torch.bfloat16)
  local out = norm(x)
  out:backward(torch.randn(out.shape):bfloat16())
  print(out:detach():flatten()["-6:"], norm.running_mean, norm.running_var)
  print(x.grad:flatten()["-6:"], norm.weight.grad)
end
