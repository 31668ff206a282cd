-- Arguments of reductions, norms and sorts.
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
try [==[torch.sum(x, 0, "a")]==]
try [==[torch.sum(x, {0, 3})]==]
try [==[torch.sum(x, {0, "a"})]==]
try [==[torch.sum(x, {dims = 0})]==]
try [==[torch.sum()]==]
try [==[x:sum("a")]==]
try [==[torch.mean(i)]==]
try [==[torch.mean(i, {dtype = torch.int32})]==]
try [==[torch.mean(i, {dtype = torch.float32})]==]
try [==[torch.mean(x, "a")]==]
try [==[torch.mean(torch.zeros(0))]==]
try [==[torch.prod(x, "a")]==]
try [==[torch.prod(x, 2)]==]
try [==[torch.prod(b)]==]
try [==[torch.std(x, 3)]==]
try [==[torch.std(x, {correction = "a"})]==]
try [==[torch.std(x, {unbiased = 1})]==]
try [==[torch.var(torch.ones(1))]==]
try [==[torch.median(torch.zeros(0))]==]
try [==[torch.median(x, 3)]==]
try [==[torch.mode(x, 3)]==]
try [==[torch.mode(torch.tensor(3))]==]
try [==[torch.cumsum(x, 2)]==]
try [==[torch.cumsum(b, 0)]==]
try [==[torch.cumprod(x, -3)]==]
try [==[torch.cummax(x)]==]
try [==[torch.any(x, "a")]==]
try [==[torch.all(3)]==]
try [==[torch.count_nonzero(x, 2)]==]
try [==[torch.norm(x, {p = "a"})]==]
try [==[torch.norm(x, {dim = 3})]==]
try [==[torch.logsumexp(i, 0)]==]
try [==[torch.logsumexp(x, 2)]==]
try [==[torch.sort(x, "a")]==]
try [==[torch.sort(3)]==]
try [==[torch.argsort(x, 3)]==]
try [==[torch.topk(x, 4)]==]
try [==[torch.topk(x, 1, 2)]==]
try [==[torch.topk(x, "a")]==]
try [==[torch.kthvalue(x, 4)]==]
