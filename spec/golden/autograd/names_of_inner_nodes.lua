-- Names of nodes that no function is named after: of steps of a function, and of gradients that are differentiated again.
local torch = require "torch"
local F = torch.nn.functional
local function leaf(...)
  local count = 1
  for _, n in ipairs {...} do count = count * n end
  return ((torch.arange(count) + 1) / (count + 1)):reshape{...}:requires_grad_()
end
local function show(name, t) print(name, t.grad_fn:name()) end
local function slope(name, f, leaves, of)
  local y = f(table.unpack(leaves))
  show(name, (torch.autograd.grad(y, leaves[of or 1], {grad_outputs = torch.ones_like(y, {requires_grad = true}), create_graph = true})))
end

show("trapezoid, dx", torch.trapezoid(leaf(3), {dx = 0.5}))
show("trapezoid, x", torch.trapezoid(leaf(3), leaf(3)))
show("cross_entropy, probabilities", F.cross_entropy(leaf(2, 3), leaf(2, 3)))
show("kl_div", F.kl_div(leaf(2, 3), leaf(2, 3), {reduction = "batchmean"}))
for _, name in ipairs {"hardtanh_", "leaky_relu_", "elu_", "rrelu_"} do show(name, F[name](leaf(3):clone())) end
for _, name in ipairs {"hardsigmoid", "hardswish", "silu", "mish"} do show(name, F[name](leaf(3):clone(), {inplace = true})) end
show("rrelu", F.rrelu(leaf(3)))
show("rrelu, training", F.rrelu(leaf(3), {training = true}))
show("rrelu_, training", F.rrelu_(leaf(3):clone(), {training = true}))
show("as_strided", leaf(3, 4):as_strided({2, 2}, {1, 2}))
show("as_strided_", leaf(3, 4):clone():as_strided_({2, 2}, {1, 2}))
show("cat", torch.cat{leaf(2, 3), leaf(1, 3)})
show("pad, circular", F.pad(leaf(1, 2, 3), {2, 1}, "circular"))
show("pairwise_distance", F.pairwise_distance(leaf(3, 4), leaf(3, 4)))
for _, p in ipairs {1.0, 3.0} do show("cdist", torch.cdist(leaf(3, 4), leaf(2, 4), {p = p})) end
show("binary_cross_entropy_with_logits", F.binary_cross_entropy_with_logits(leaf(3), leaf(3)))
local weights = {leaf(4, 4), leaf(4, 4)}
for _, batch_first in ipairs {false, true} do
  show("rnn_tanh", (torch.rnn_tanh(leaf(2, 2, 4), leaf(1, 2, 4), weights, false, 1, 0.0, false, false, batch_first)))
end
show("rnn_tanh, rows", (torch.rnn_tanh(leaf(5, 4), torch.tensor({3, 2}, {device = "cpu"}), leaf(1, 3, 4), weights, false, 1, 0.0, false, false)))

slope("leaky_relu_", function(x) return F.leaky_relu_(x:clone()) end, {leaf(3)})
slope("elu_", function(x) return F.elu_(x:clone()) end, {leaf(3)})
for _, name in ipairs {"silu", "mish", "elu", "leaky_relu", "softplus", "logsigmoid", "hardtanh", "hardsigmoid", "hardswish", "gelu"} do slope(name, F[name], {leaf(3)}) end
for _, name in ipairs {"tanh", "sigmoid", "relu", "sinc"} do slope(name, torch[name], {leaf(3)}) end
slope("glu", F.glu, {leaf(4)})
slope("prelu", F.prelu, {leaf(3), leaf(1)})
slope("clamp", function(x) return x:clamp(0, 1) end, {leaf(3)})
slope("maximum", torch.maximum, {leaf(3), leaf(3)})
slope("pow", torch.pow, {leaf(3), leaf(3)})
slope("as_strided", function(x) return x:as_strided({2, 2}, {1, 2}) end, {leaf(3, 4)})
slope("unfold", function(x) return x:unfold(0, 2, 1) end, {leaf(3)})
slope("diagonal", function(x) return x:diagonal() end, {leaf(3, 3)})
slope("index", function(x) return x[torch.tensor{0, 1}] end, {leaf(3)})
slope("index_select", function(x) return x:index_select(0, torch.tensor{0, 1}) end, {leaf(3)})
slope("take", function(x) return x:take(torch.tensor{0, 1}) end, {leaf(3)})
slope("gather", function(x) return x:gather(0, torch.tensor{0, 1}) end, {leaf(3)})
slope("max", function(x) return (x:max(1)) end, {leaf(3, 4)})
slope("cumsum", function(x) return x:cumsum(0) end, {leaf(3)})
slope("softmax", function(x) return x:softmax(0) end, {leaf(3)})
slope("log_softmax", function(x) return x:log_softmax(0) end, {leaf(3)})
slope("scatter_reduce of two zeros", function(x, source) return x:scatter_reduce(0, torch.tensor{0, 0}, source, "prod") end,
  {leaf(2), torch.zeros(2, {requires_grad = true})}, 2)
for i = 1, 3 do slope("conv1d", F.conv1d, {leaf(1, 2, 4), leaf(2, 2, 3), leaf(2)}, i) end
local function sampled(x, grid) return F.grid_sample(x, grid, {align_corners = false}) end
for i = 1, 2 do
  slope("grid_sample, images", sampled, {leaf(1, 2, 4, 5), leaf(1, 2, 2, 2)}, i)
  slope("grid_sample, volumes", sampled, {leaf(1, 2, 3, 4, 5), leaf(1, 2, 2, 2, 3)}, i)
end
slope("affine_grid", function(theta) return F.affine_grid(theta, {2, 1, 3, 4}, {align_corners = false}) end, {leaf(2, 2, 3)})
slope("avg_pool2d", function(x) return F.avg_pool2d(x, 2) end, {leaf(1, 2, 2)})
slope("adaptive_avg_pool2d", function(x) return F.adaptive_avg_pool2d(x, 2) end, {leaf(1, 4, 4)})
for _, name in ipairs {"mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy"} do slope(name, F[name], {leaf(3), leaf(3)}) end
slope("nll_loss", function(x) return F.nll_loss(x, torch.tensor{0, 1}) end, {leaf(2, 3)})
slope("multi_margin_loss", function(x) return F.multi_margin_loss(x, torch.tensor{0, 1}) end, {leaf(2, 3)})
slope("multilabel_margin_loss", function(x) return F.multilabel_margin_loss(x, torch.tensor{0, 1, -1}) end, {leaf(3)})
slope("ctc_loss", function(x) return F.ctc_loss(x, torch.tensor{{1, 2}}, torch.tensor{4}, torch.tensor{2}) end, {leaf(4, 1, 3)})
