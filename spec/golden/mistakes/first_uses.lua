-- The first thing that functions of torch.nn.functional do with an argument of a wrong kind, and the operator behind them.
local torch = require "torch"
local F = torch.nn.functional
local x, i = torch.ones(2, 3), torch.arange(4)
local p = torch.ones(1, 1, 4)
local m = torch.ones(1, 1, 4, 4)
local scope = setmetatable({torch = torch, F = F, x = x, i = i, p = p, m = m}, {__index = _G})
local function try(code)
  local ok, e = pcall(load("return " .. code, code, "t", scope))
  print(ok and "ok" or (tostring(e):match "[^\n]*"))
end
try [==[F.glu(x, {dim = "a"})]==]
try [==[F.dropout(x, 0.5, "a")]==]
try [==[F.dropout1d(x, 0.5, "a")]==]
try [==[F.dropout2d(m, 0.5, "a")]==]
try [==[F.dropout3d(m, 0.5, "a")]==]
try [==[F.alpha_dropout(x, 0.5, "a")]==]
try [==[F.feature_alpha_dropout(x, 0.5, "a")]==]
try [==[F.threshold("a", 1, 1)]==]
try [==[F.threshold(x, "a", 1)]==]
try [==[F.embedding_bag("a", x)]==]
try [==[F.embedding_bag(i, 3)]==]
try [==[F.group_norm("a", 2)]==]
try [==[F.batch_norm(x, torch.zeros(3), torch.ones(3), {eps = "a"})]==]
try [==[F.instance_norm("a")]==]
try [==[F.max_pool1d_with_indices(p, "a")]==]
try [==[F.max_pool3d_with_indices("a", 2)]==]
try [==[F.max_unpool1d("a", i, 2)]==]
try [==[F.max_unpool1d(p, "a", 2)]==]
try [==[F.max_unpool2d("a", i, 2)]==]
try [==[F.max_unpool3d("a", i, 2)]==]
try [==[F.fractional_max_pool2d("a", 2, 1)]==]
try [==[F.fractional_max_pool3d("a", 2, 1)]==]
try [==[F.mse_loss(x, x, nil, nil, "mean", "a")]==]
try [==[F.l1_loss(x, x, nil, nil, "mean", "a")]==]
try [==[F.huber_loss(x, x, "mean", 1.0, "a")]==]
try [==[F.binary_cross_entropy(x, x, "a")]==]
try [==[F.linear_cross_entropy(x, "a", torch.tensor{0, 1})]==]
try [==[F.margin_ranking_loss(x, "a", x)]==]
try [==[F.margin_ranking_loss(x, x, "a")]==]
try [==[F.gaussian_nll_loss("a", x, x)]==]
try [==[F.gaussian_nll_loss(x, x, x, {reduction = 3})]==]
try [==[F.multi_margin_loss(x, torch.tensor{0, 1}, 1, 1.0, "a")]==]
try [==[F.multilabel_soft_margin_loss("a", x)]==]
try [==[F.pad(x, 3)]==]
try [==[F.pad("a", {1, 1})]==]
