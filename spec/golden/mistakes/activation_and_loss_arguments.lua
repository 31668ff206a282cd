-- cpu only: names kernels of the CPU
-- Arguments of activations, linear and losses: kinds, counts, keywords.
local torch = require "torch"
local F = torch.nn.functional
local scope = setmetatable({torch = torch, F = F, x = torch.ones(2, 3), i = torch.arange(4), b = torch.tensor{true, false},
  d = torch.ones(2, 3, {dtype = torch.float64}), M = torch.arange(24):reshape(2, 3, 4),
  g = torch.tensor({1.0, 2.0, 3.0}, {requires_grad = true})}, {__index = _G})
local function show(ok, ...)
  if ok then print(...) else print((tostring((...)):match "[^\n]*")) end
end
local function try(code)
  show(pcall(load("return " .. code, code, "t", scope) or load(code, code, "t", scope)))
end
try [==[F.threshold(x)]==]
try [==[F.glu(x)]==]
try [==[F.glu(x, 0)]==]
try [==[F.glu(x, 5)]==]
try [==[F.glu()]==]
try [==[F.prelu(x, torch.ones(2))]==]
try [==[F.prelu(x, torch.ones(4))]==]
try [==[F.sigmoid()]==]
try [==[F.tanh()]==]
try [==[F.tanh(3)]==]
try [==[F.logsigmoid()]==]
try [==[F.logsigmoid(i)]==]
try [==[F.dropout(i, 0.5)]==]
try [==[F.dropout("a")]==]
try [==[F.dropout1d(torch.ones(2), 0.5)]==]
try [==[F.dropout2d(x, 2)]==]
try [==[F.linear(x)]==]
try [==[F.linear(x, x, x, x)]==]
try [==[F.linear(x, "a")]==]
try [==[F.linear(x, torch.ones(2, 3), torch.ones(3))]==]
try [==[F.linear(x, torch.ones(3))]==]
try [==[F.linear(x, torch.ones(2, 3), 3)]==]
try [==[F.linear(x, d)]==]
try [==[F.linear(x, x, {bias = "a"})]==]
try [==[F.mse_loss()]==]
try [==[F.mse_loss(x)]==]
try [==[F.mse_loss(x, 3)]==]
try [==[F.mse_loss(x, x, {reduction = "abc"})]==]
try [==[F.mse_loss(x, x, x, x, x, x, x, x)]==]
try [==[F.mse_loss(i, i)]==]
try [==[F.mse_loss(x, {target = x, reductio = "sum"})]==]
try [==[F.l1_loss()]==]
try [==[F.l1_loss(x)]==]
try [==[F.l1_loss(x, torch.ones(4))]==]
try [==[F.l1_loss(i, i)]==]
try [==[F.smooth_l1_loss(x)]==]
try [==[F.smooth_l1_loss(x, x, {beta = -1})]==]
try [==[F.smooth_l1_loss(x, torch.ones(4))]==]
try [==[F.huber_loss(x, x, {delta = 0})]==]
try [==[F.cross_entropy()]==]
