-- nan where a number between bounds is wanted; dtypes of losses and similarities whose sides differ
local torch = require "torch"
local F = torch.nn.functional
local function try(f, ...)
  local ok, result = pcall(f, ...)
  print(ok and result or tostring(result):match "[^\n]*")
end
local x, nan = torch.ones(3), 0/0
for _, p in ipairs{nan, -nan, 1.5, -2} do
  for _, name in ipairs{"dropout", "alpha_dropout", "feature_alpha_dropout", "dropout1d"} do try(F[name], torch.ones(3, 3), p) end
  try(torch.isclose, x, x, {rtol = p})
  try(torch.allclose, x, x, {atol = p})
end
try(F.glu, torch.ones(4), {dim = {}})
try(F.glu, torch.ones(4), {dim = 1.5})
local a, b = torch.ones(1, 2), torch.tensor(2.0, {dtype = torch.float64})
local weight = torch.ones(1, 2)
torch.manual_seed(0)
for _, name in ipairs{"l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss"} do
  try(F[name], a, b)
  try(F[name], b, a)
end
for _, name in ipairs{"l1_loss", "mse_loss"} do try(F[name], a, b, {weight = weight, reduction = "none"}) end
local u, v = torch.linspace(-1, 1, 10):reshape(5, 2), torch.linspace(1, 2, 10):reshape(5, 2)
for _, pair in ipairs{{u, v:bfloat16()}, {u:bfloat16(), v:bfloat16()}, {u:double(), v}, {u:long(), v}, {u, v:bool()}} do
  try(F.cosine_similarity, pair[1], pair[2], {dim = 0})
end
-- which of div's signatures a wrong call may have meant; what is looked at first
try(x.div, x, x, "s")
try(torch.div, x, x, 2)
try(F.gaussian_nll_loss, x, x, torch.ones({1}, {dtype = torch.int8}), {reduction = "avg"})
try(torch._pack_padded_sequence, torch.randn(0), torch.randn(0), true)
try(torch.linalg.pinv, torch.ones(3, 4, 5), torch.ones(2))
do
  local out = torch.zeros(2)
  try(torch.diag, torch.ones({2, 3}, {dtype = torch.float64}), {out = out})
  print(out.shape)
end
for _, some in ipairs{true, false} do
  local u, s, v = torch.svd(torch.eye(3)[":, :2"], some, false)
  print(u, s, v, u:stride(0), v:stride(0))
end
try(torch.dropout, x, 2.0, true)
try(F.dropout, x, 2.0)
-- numbers in a row keep the shape of out= where it has as many elements
for _, sizes in ipairs{{1, 3}, {3, 1}, {2, 2}, {3}} do
  local function out() return {out = torch.zeros(table.unpack(sizes))} end
  print(torch.linspace(0, 1, 3, out()), torch.logspace(0, 1, 3, out()), torch.arange(0, 3, out()), torch.linspace(torch.tensor(0), 1, 3, out()))
end
