-- cpu only: names kernels of the CPU
-- Arguments of softmax and of activations: kinds, counts, keywords.
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
try [==[torch.softmax(x, "a")]==]
try [==[torch.softmax(i, 0)]==]
try [==[torch.softmax(b, 0)]==]
try [==[torch.softmax(i, {dim = 0, dtype = torch.float64})]==]
try [==[torch.softmax(x, 0, torch.float64, 3)]==]
try [==[torch.log_softmax(x)]==]
try [==[torch.log_softmax(x, 2)]==]
try [==[torch.log_softmax(i, 0)]==]
try [==[F.softmax(x, {dim = 5})]==]
try [==[F.softmax(x, {dimm = 1})]==]
try [==[F.softmax(i, 0)]==]
try [==[F.softmax(3, 0)]==]
try [==[F.log_softmax()]==]
try [==[F.log_softmax(x, {dim = 2})]==]
try [==[F.softmin(x, 4)]==]
try [==[F.relu()]==]
try [==[F.relu("a")]==]
try [==[F.relu(x, true, 3)]==]
try [==[F.relu(x, {inplac = true})]==]
try [==[F.relu6()]==]
try [==[F.relu6("a")]==]
try [==[F.leaky_relu()]==]
try [==[F.leaky_relu(i)]==]
try [==[F.elu()]==]
try [==[F.elu(i)]==]
try [==[F.selu(i)]==]
try [==[F.gelu()]==]
try [==[F.gelu(i)]==]
try [==[F.gelu(x, {approximate = "abc"})]==]
try [==[F.gelu(x, 3)]==]
try [==[F.silu(i)]==]
try [==[F.mish(i)]==]
try [==[F.hardtanh()]==]
try [==[F.hardtanh(x, 2, 1)]==]
try [==[F.hardsigmoid(i)]==]
try [==[F.softplus()]==]
try [==[F.softplus(i)]==]
try [==[F.softsign("a")]==]
try [==[F.tanhshrink("a")]==]
try [==[F.hardshrink()]==]
