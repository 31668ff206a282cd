-- The grad_fn of ctc_loss, and gradients of margins that no class comes near: 0, never -0.
local torch = require "torch"
local F = torch.nn.functional

torch.manual_seed(6)
local log_probs = torch.randn({6, 2, 4}, {requires_grad = true}):log_softmax(2)
local targets, lengths = torch.tensor{{1, 2}, {3, 3}}, torch.tensor{6, 2}
for _, zero_infinity in ipairs{true, false} do
  local loss = F.ctc_loss(log_probs, targets, lengths, torch.tensor{2, 2}, {reduction = "none", zero_infinity = zero_infinity})
  print(loss)
end
for _, p in ipairs{1, 2} do
  local x = torch.tensor({{3., 0., 1.}, {0.5, 0., 1.}}, {requires_grad = true})
  F.multi_margin_loss(x, torch.tensor{0, 2}, {p = p, margin = 0.7}):backward()
  print(x.grad)
end
