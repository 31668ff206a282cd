-- Kinds, counts and keywords that factories refuse.
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
try [==[torch.zeros()]==]
try [==[torch.zeros(2, "a")]==]
try [==[torch.zeros(2, 3, 4, {dtype = "float32"})]==]
try [==[torch.zeros(2, {size = {3}})]==]
try [==[torch.ones(2, {dtyp = torch.int64})]==]
try [==[torch.full({2, 3})]==]
try [==[torch.full({2, 3}, "a")]==]
try [==[torch.full({2, 3}, 1, 2)]==]
try [==[torch.full({2}, torch.tensor(3.5))]==]
try [==[torch.full({2}, 3, {dtype = torch.float16})]==]
try [==[torch.arange("a")]==]
try [==[torch.arange(1, 2, 3, 4)]==]
try [==[torch.arange(0, 1, 0.3)]==]
try [==[torch.arange(3, 0, -1)]==]
try [==[torch.arange(1, {stop = 4})]==]
try [==[torch.linspace(0)]==]
try [==[torch.linspace(0, 1, 2.5)]==]
try [==[torch.linspace(0, 10, 5, {dtype = torch.int64})]==]
try [==[torch.logspace(0, 2)]==]
try [==[torch.eye(2, -3)]==]
try [==[torch.eye()]==]
try [==[torch.tensor()]==]
try [==[torch.tensor({1, {2}})]==]
try [==[torch.tensor({{{1}, {2}}, {{3}}})]==]
try [==[torch.tensor({1, nil, 3})]==]
try [==[torch.tensor({"a", "b"})]==]
try [==[torch.tensor({torch.tensor(1), torch.tensor(2.5)})]==]
try [==[torch.tensor({1, 2}, {device = "abc"})]==]
try [==[torch.tensor({1e10}, {dtype = torch.int32})]==]
try [==[torch.tensor({256}, {dtype = torch.uint8})]==]
try [==[torch.tensor({70000}, {dtype = torch.int16})]==]
try [==[torch.tensor({1e300}, {dtype = torch.float16})]==]
try [==[torch.zeros_like({1, 2})]==]
try [==[torch.ones_like(x, {dtype = 3})]==]
try [==[torch.full_like(x, "a")]==]
try [==[torch.from_numpy(x)]==]
try [==[torch.as_tensor({1, 2}, {dtype = torch.float64})]==]
try [==[torch.triu(3)]==]
try [==[torch.diag(torch.ones(2, 2, 2))]==]
try [==[torch.meshgrid(i, i, {indexing = "abc"})]==]
