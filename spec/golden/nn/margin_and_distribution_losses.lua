-- Losses of margins, distances, distributions and sequences: values, graphs, refusals.
local torch = require "torch"
local F = torch.nn.functional

local function refused(...)
  local ok, err = pcall(...)
  print(ok, (tostring(err):gsub("\n.*", "")))
end

local a = (torch.arange(12.0) / 8 - 0.6):reshape(3, 4):requires_grad_()
local b = (torch.arange(12.0) % 5 / 4):reshape(3, 4):requires_grad_()
local c = (torch.arange(12.0) % 7 / 4 + 0.25):reshape(3, 4)
local function show(name, loss)
  local grads = torch.autograd.grad(loss:sum(), {a}, {allow_unused = true})
  print(name, loss, loss.grad_fn:name())
  print(torch.is_tensor(grads) and grads or grads[1])
end

show("cosine", F.cosine_embedding_loss(a, b, torch.tensor {1.0, -1.0, 1.0}, 0.1))
show("ranking", F.margin_ranking_loss(a, b, torch.ones(3, 4), 0.2, {reduction = "sum"}))
show("soft margin", F.soft_margin_loss(a, c - 1, {reduction = "none"}))
show("multilabel soft margin", F.multilabel_soft_margin_loss(a, c:gt(1):float(), {weight = c[0]}))
show("gaussian", F.gaussian_nll_loss(a, c, b, {full = true, eps = 0.1}))
show("gaussian", F.gaussian_nll_loss(a, c, 0.5, {reduction = "none"}))
show("poisson", F.poisson_nll_loss(a, c, {full = true}))
show("poisson", F.poisson_nll_loss(a + 1, c, {log_input = false, reduction = "none"}))
show("triplet", F.triplet_margin_loss(a, b, c, {swap = true}))
show("triplet", F.triplet_margin_with_distance_loss(a, b, c, {margin = 2.0}))
show("triplet", F.triplet_margin_with_distance_loss(a, b, c, {swap = true, reduction = "none",
  distance_function = function(x, y) return (x - y):abs():sum(-1) end}))
show("multi margin", F.multi_margin_loss(a, torch.tensor {1, 0, 3}, {weight = c[1], p = 2, margin = 0.9}))
show("multi margin", F.multi_margin_loss(a[1], torch.tensor(2)))
show("multilabel margin", F.multilabel_margin_loss(a, torch.tensor {{1, 2, -1, 0}, {-1, 0, 0, 0}, {3, 0, 1, -1}}))

local x = (torch.arange(40.0) * 7 % 11 / 4):reshape(5, 2, 4):requires_grad_()
local function sequences(name, ...)
  local loss = F.ctc_loss(x:log_softmax(-1), ...)
  print(name, loss, loss.grad_fn:name())
  print(torch.autograd.grad(loss:sum(), x))
end
local targets = torch.tensor {{1, 1}, {2, 3}}
sequences("ctc", targets, {5, 4}, {2, 1})
sequences("ctc", targets, torch.tensor {5, 4}, torch.tensor {2, 1}, {reduction = "none"})
sequences("ctc", torch.tensor {1, 1, 2}, {5, 4}, {2, 1}, {reduction = "sum"})
sequences("ctc", targets, {2, 4}, {2, 0}, {zero_infinity = true})
print(F.ctc_loss(x:log_softmax(-1), targets, {2, 0}, {2, 0}, {reduction = "none"}))

torch.manual_seed(2)
print(F.rrelu(a, 0.1, 0.6, true))
print(F.rrelu(a).grad_fn:name())
print(F.gumbel_softmax(a, {hard = true}))
print(F.feature_alpha_dropout(torch.ones(2, 3, 2), 0.4, true))

refused(F.ctc_loss, x, targets, {6, 4}, {2, 1})
refused(F.ctc_loss, x, targets, {5, 4}, {3, 1})
refused(F.ctc_loss, x, targets, torch.tensor {5.0, 4.0}, torch.tensor {2, 1})
refused(F.multi_margin_loss, a, torch.tensor {1, 0, 4})
refused(F.multi_margin_loss, a, torch.tensor {1, 0, 3}, {p = 3})
refused(F.multilabel_margin_loss, a, torch.tensor {1, 0, 3})
refused(F.cosine_embedding_loss, a, b, torch.ones(3, 4))
refused(F.gaussian_nll_loss, a, b, torch.ones(2))
refused(F.gaussian_nll_loss, a, b, -torch.ones(3, 4))
refused(F.poisson_nll_loss, a, b, {reduction = "some"})
refused(F.triplet_margin_with_distance_loss, a, b, c[0])
refused(F.rrelu, a, 0.5, 0.1)
