-- torch's own losses: reductions by number, any other than 1 and 2 being none; what they refuse.
local torch = require "torch"
local a, b = torch.arange(12.0):reshape(3, 4) / 4 - 1, torch.arange(12.0):reshape(3, 4):flip(0) / 10
local function try(f, ...)
  local ok, e = pcall(f, ...)
  if ok then print(e) else print((tostring(e):gsub("\n.*", ""))) end
end
for reduction = 0, 3 do
  try(torch.kl_div, a, b, reduction)
  try(torch.hinge_embedding_loss, a, (a:gt(0) * 2 - 1), 0.5, reduction)
  try(torch.margin_ranking_loss, a, b[0], b, 0.25, reduction)
  try(torch.poisson_nll_loss, a, b, true, true, 1e-8, reduction)
  try(torch.triplet_margin_loss, a, b, b + 1, -1.0, 2, 1e-6, true, reduction)
  try(torch.cosine_embedding_loss, a, b, torch.tensor{1, -1, 1}, 0.1, reduction)
  try(torch.binary_cross_entropy_with_logits, a, b, b, b[1] + 1, reduction)
  try(torch.ctc_loss, b:reshape(4, 1, 3):log_softmax(-1), torch.tensor{{1, 2}}, {4}, {2}, 0, reduction)
  try(torch.ctc_loss, b:reshape(4, 1, 3):log_softmax(-1), torch.tensor{{1, 2}}, torch.tensor{4}, torch.tensor{2}, 0, reduction)
end
try(torch.kl_div, torch.tensor{1}, torch.tensor{1})
try(torch.kl_div, a, b, "mean")
try(torch.triplet_margin_loss, a, a, b[0])
try(torch.binary_cross_entropy_with_logits, a, b[0])
try(torch.binary_cross_entropy_with_logits, a[0], b)
try(torch.binary_cross_entropy_with_logits, torch.tensor{1}, torch.tensor{1})
try(torch.cosine_embedding_loss, a, a, torch.ones(3, 2))
