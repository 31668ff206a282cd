-- Arguments of comparisons, logic, maxima and minima.
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
try [==[torch.logical_and(x)]==]
try [==[torch.logical_and(x, 1)]==]
try [==[torch.logical_or(x, "a")]==]
try [==[torch.bitwise_and(i, 1.5)]==]
try [==[torch.bitwise_not(x)]==]
try [==[torch.bitwise_xor(i)]==]
try [==[i | x]==]
try [==[i ~ x]==]
try [==[i >> "a"]==]
try [==[torch.eq(x)]==]
try [==[torch.eq(x, "a")]==]
try [==[torch.eq(x, torch.ones(4))]==]
try [==[torch.gt(x, {})]==]
try [==[torch.ne(x, 1, 2)]==]
try [==[torch.equal(x)]==]
try [==[torch.equal(x, 1)]==]
try [==[torch.allclose(x)]==]
try [==[torch.allclose(x, x, "a")]==]
try [==[torch.isclose(x, d)]==]
try [==[torch.isnan("a")]==]
try [==[torch.isinf(3)]==]
try [==[torch.isfinite(b)]==]
try [==[torch.maximum(x)]==]
try [==[torch.maximum(x, 1)]==]
try [==[torch.maximum(x, torch.ones(4))]==]
try [==[torch.max(x, "a")]==]
try [==[torch.max(x, {dim = "a"})]==]
try [==[torch.max()]==]
try [==[torch.max(torch.zeros(0))]==]
try [==[torch.max(torch.zeros(0, 3), 0)]==]
try [==[torch.min(torch.zeros(0))]==]
try [==[torch.argmax(torch.zeros(0))]==]
try [==[torch.argmax(x, "a")]==]
try [==[torch.argmax(x, 3)]==]
try [==[torch.argmax(b)]==]
try [==[torch.max(b)]==]
try [==[torch.amax(x, {0, 0})]==]
try [==[torch.amax(torch.zeros(0))]==]
try [==[torch.sum(x, "a")]==]
try [==[torch.sum(x, {dim = "a"})]==]
