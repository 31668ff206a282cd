-- cpu only: names kernels of the CPU
-- Losses with weights: what is checked, and in which order.
local torch = require "torch"
local F = torch.nn.functional
local function attempt(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return print(result) end
  print((tostring(result):match "[^\n]*"))
end
local long = {dtype = torch.int64}
local x = torch.tensor {{0.25, 0.75}, {0.5, 0.5}, {0.125, 0.875}, {1, 0}}
local labels, leaf = torch.tensor {0, 1, 0, 1}, {requires_grad = true}
local deep, spots = torch.ones(2, 2, 3), torch.zeros({2, 3}, long)
for _, f in ipairs {F.nll_loss, F.cross_entropy} do
  for _, weight in ipairs {torch.ones(2), torch.ones(3), torch.tensor(1.0), torch.ones(0, 0), torch.ones(1, 2), torch.ones(2):double(), torch.ones(2, leaf),
    torch.ones(3, leaf)} do
    attempt(f, x, labels, weight)
    attempt(f, x[0], labels[0], weight)
    attempt(f, deep, spots, weight)
    attempt(f, torch.ones(2, 2, 1, 3), torch.zeros({2, 1, 3}, long), weight)
    attempt(f, x, torch.zeros({3}, long), weight)
    attempt(f, x, torch.zeros(4), weight)
    attempt(F.cross_entropy, x, x, weight, {label_smoothing = 2.0})
    attempt(F.cross_entropy, x, labels, weight, {label_smoothing = 2.0})
  end
  attempt(f, torch.ones(3), torch.tensor {1.0, 2})
  attempt(f, deep, torch.zeros(2, 4))
  attempt(f, x, labels, torch.ones(3), {reduction = "avg"})
end
attempt(F.cross_entropy, x, x, torch.ones(3), {ignore_index = 3, label_smoothing = 2.0})
attempt(F.cross_entropy, torch.tensor(1.0), torch.tensor(1.0))
attempt(F.cross_entropy, torch.tensor(1.0), torch.tensor(1))
for _, f in ipairs {F.mse_loss, F.l1_loss, F.huber_loss} do
  for _, reduction in ipairs {"mean", "avg"} do
    attempt(f, x, x, {reduction = reduction})
    attempt(f, x, torch.ones(5), {reduction = reduction})
    for _, weight in ipairs {x, torch.ones(1), torch.ones(3), x:gt(0.3), torch.ones(4, 2, leaf)} do
      attempt(f, x, 2 * x, {weight = weight, reduction = reduction})
      attempt(f, x, torch.ones(5), {weight = weight, reduction = reduction})
      attempt(f, x:gt(0), x:gt(0), {weight = weight, reduction = reduction})
      attempt(f, x:long(), x:long(), {weight = weight, reduction = reduction})
    end
  end
end
attempt(F.huber_loss, x, x, {delta = -2.0, reduction = "avg"})
attempt(F.huber_loss, x, x, {delta = -2.0, weight = torch.ones(3)})
attempt(F.huber_loss, x, x, {delta = -2.0, weight = x, reduction = "avg"})
for _, weight in ipairs {torch.ones(5), torch.ones(2, 2), torch.ones(2), torch.tensor(1.0), torch.ones(2, leaf), torch.ones(3, 4, 2), torch.ones(4, 1),
  torch.ones(4, 3), torch.ones(0)} do
  attempt(F.binary_cross_entropy, x, x, weight)
  attempt(F.binary_cross_entropy, x, x, weight, {reduction = "avg"})
  attempt(F.binary_cross_entropy, x, torch.ones(2), weight)
  attempt(F.binary_cross_entropy_with_logits, x, x, weight)
  attempt(F.binary_cross_entropy_with_logits, x, x, {pos_weight = weight})
end
attempt(F.binary_cross_entropy, torch.ones(1), torch.ones(1), torch.ones(3))
attempt(F.binary_cross_entropy, torch.ones(1), torch.ones(1), torch.ones(3, leaf))
attempt(F.kl_div, x:long(), x, {reduction = "avg"})
attempt(F.smooth_l1_loss, x, torch.ones(5), {reduction = "avg"})
