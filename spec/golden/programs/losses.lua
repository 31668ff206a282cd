-- Losses of sequences, of pairs and of classes, with gradients.
local torch = require "torch"
torch.set_printoptions{precision = 4, sci_mode = false}
local F = torch.nn.functional
local function show(name, t) print(name, t.dtype, t.shape, t:detach():flatten()["-8:"]) end
for _, dtype in ipairs {torch.float32, torch.float64} do
  torch.manual_seed(0)
  local T, N, C, S = 20, 3, 6, 5
  local logits = torch.randn(T, N, C):to(dtype):requires_grad_()
  local targets = torch.randint(1, C, {N, S})
  for _, red in ipairs {"none", "mean", "sum"} do for _, zi in ipairs {false, true} do
    logits.grad = nil
    local il, tl = torch.tensor{20, 15, 4}, torch.tensor{5, 3, 5}
    local loss = F.ctc_loss(logits:log_softmax(2), targets, il, tl, {reduction = red, zero_infinity = zi})
    show("ctc " .. red .. tostring(zi), loss)
    loss:sum():backward() show("g", logits.grad)
  end end
  -- concatenated targets, blank last
  logits.grad = nil
  local loss = F.ctc_loss(logits:log_softmax(2), torch.tensor{0, 1, 1, 2, 3, 4, 0, 2}, torch.tensor{20, 18, 16}, torch.tensor{3, 2, 3}, 5)
  loss:backward() show("ctc cat", loss) show("g", logits.grad)
  local a, p, n = torch.randn(8, 10):to(dtype):requires_grad_(), torch.randn(8, 10):to(dtype):requires_grad_(), torch.randn(8, 10):to(dtype):requires_grad_()
  for _, o in ipairs {{margin = 1.0}, {margin = 0.5, p = 1.0}, {swap = true}, {reduction = "none"}, {p = 3.0, reduction = "sum"}} do
    a.grad, p.grad, n.grad = nil, nil, nil
    local l = F.triplet_margin_loss(a, p, n, o); l:sum():backward()
    show("triplet", l) show("a", a.grad) show("p", p.grad) show("n", n.grad)
  end
  local l = F.triplet_margin_with_distance_loss(a, p, n, {distance_function = function(x, y) return 1 - F.cosine_similarity(x, y) end, margin = 0.2})
  a.grad = nil l:backward() show("tcos", l) show("a", a.grad)
  -- contrastive by hand
  local y = torch.randint(0, 2, {8}):to(dtype)
  local d = F.pairwise_distance(a, p)
  l = (y * d:pow(2) + (1 - y) * F.relu(1.5 - d):pow(2)):mean()
  a.grad = nil l:backward() show("contrastive", l) show("a", a.grad)
  -- InfoNCE
  local za, zp = F.normalize(a, {dim = 1}), F.normalize(p, {dim = 1})
  l = F.cross_entropy(za:matmul(zp.T) / 0.1, torch.arange(8), {label_smoothing = 0.1})
  a.grad = nil l:backward() show("infonce", l) show("a", a.grad)
  -- others
  l = F.cosine_embedding_loss(a, p, (y * 2 - 1), {margin = 0.1}) a.grad = nil l:backward() show("cosemb", l) show("a", a.grad)
  l = F.margin_ranking_loss(a[":, 0"], p[":, 0"], y * 2 - 1, {margin = 0.3}) a.grad = nil l:backward() show("rank", l) show("a", a.grad)
  l = F.hinge_embedding_loss(F.pairwise_distance(a, p), y * 2 - 1) a.grad = nil l:backward() show("hinge", l) show("a", a.grad)
  l = F.multi_margin_loss(a, torch.randint(0, 10, {8})) a.grad = nil l:backward() show("mm", l) show("a", a.grad)
  l = F.multilabel_soft_margin_loss(a, torch.randint(0, 2, {8, 10}):to(dtype)) a.grad = nil l:backward() show("mlsm", l) show("a", a.grad)
  l = F.gaussian_nll_loss(a, p:detach(), n:detach():abs() + 0.1, {full = true}) a.grad = nil l:backward() show("gnll", l) show("a", a.grad)
  l = F.poisson_nll_loss(a, p:detach():abs():round(), {full = true}) a.grad = nil l:backward() show("pnll", l) show("a", a.grad)
  l = F.kl_div(a:log_softmax(1), p:detach():softmax(1), {reduction = "batchmean"}) a.grad = nil l:backward() show("kl", l) show("a", a.grad)
  l = F.soft_margin_loss(a, torch.randint(0, 2, {8, 10}):to(dtype) * 2 - 1) a.grad = nil l:backward() show("sm", l) show("a", a.grad)
  l = F.huber_loss(a, p:detach(), {delta = 0.7}) a.grad = nil l:backward() show("huber", l) show("a", a.grad)
  l = F.binary_cross_entropy(a:sigmoid(), y:unsqueeze(1):expand(8, 10), {weight = n:detach():abs()}) a.grad = nil l:backward() show("bce", l) show("a", a.grad)
  l = F.cross_entropy(a, torch.tensor{1, -100, 3, 2, 9, -100, 0, 4}, {weight = n:detach()[0]:abs(), reduction = "mean"}) a.grad = nil l:backward() show("ce", l) show("a", a.grad)
end
