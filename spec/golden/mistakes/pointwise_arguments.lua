-- Arguments of arithmetic, powers, logarithms and clamp: kinds, counts, keywords.
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
try [==[torch.add(x)]==]
try [==[torch.add(x, 1, {alpha = "a"})]==]
try [==[torch.add(i, 1, {alpha = 2.5})]==]
try [==[torch.add("a", x)]==]
try [==[x:add("a")]==]
try [==[i:add_(1.5)]==]
try [==[i:mul_(x)]==]
try [==[b:mul_(2.5)]==]
try [==[i:pow_(0.5)]==]
try [==[i:pow(-1)]==]
try [==[torch.pow(2, -1)]==]
try [==[torch.pow("a", i)]==]
try [==[x ^ "a"]==]
try [==[x + nil]==]
try [==[x // "a"]==]
try [==[-b]==]
try [==[b - 1]==]
try [==[1 - b]==]
try [==[torch.neg(b)]==]
try [==[torch.sign(b)]==]
try [==[torch.sqrt(i)]==]
try [==[torch.sqrt("a")]==]
try [==[torch.sqrt()]==]
try [==[torch.exp(x, 2)]==]
try [==[torch.log({1})]==]
try [==[i:sqrt_()]==]
try [==[torch.floor(b)]==]
try [==[torch.round(x, {decimals = "a"})]==]
try [==[torch.round(i, {decimals = 1})]==]
try [==[torch.clamp(x, "a")]==]
try [==[torch.clamp(x, 0, "a")]==]
try [==[torch.clamp(x, {mi = 0})]==]
try [==[torch.clamp(x, torch.ones(2))]==]
try [==[torch.clip(x)]==]
try [==[torch.relu()]==]
try [==[torch.relu(b)]==]
try [==[torch.relu(i)]==]
try [==[torch.sigmoid()]==]
try [==[torch.erf("a")]==]
try [==[torch.reciprocal(i)]==]
