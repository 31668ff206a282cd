-- Arguments of expand, narrow, select, split and chunk.
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
try [==[x:expand(-1, 2, 3)]==]
try [==[x:expand(2, -2)]==]
try [==[x:expand({2, 3.5})]==]
try [==[x:expand_as(torch.ones(3))]==]
try [==[torch.broadcast_to(x, {3, 3})]==]
try [==[x:flatten(0, 1, 2)]==]
try [==[x:flatten("a")]==]
try [==[x:flatten(1, 0)]==]
try [==[torch.flatten(3)]==]
try [==[x:unflatten(0, {})]==]
try [==[x:unflatten(5, {1})]==]
try [==[torch.flatten(torch.ones(2, 3, 4), {start_dim = 1}).shape]==]
try [==[x:narrow(0, 1, 2)]==]
try [==[x:narrow(0, -3, 1)]==]
try [==[x:narrow(0, 0, -1)]==]
try [==[torch.narrow(x, 1, 0, 4)]==]
try [==[x:select(0, 2)]==]
try [==[x:select(2, 0)]==]
try [==[x:select("a", 0)]==]
try [==[torch.select(x, 0)]==]
try [==[x:split()]==]
try [==[x:split(-1)]==]
try [==[x:split({1, 2})]==]
try [==[x:split(1.5)]==]
try [==[x:split("a")]==]
try [==[x:split({-1, 3}, 0)]==]
try [==[x:chunk()]==]
try [==[x:chunk(0)]==]
try [==[x:chunk("a")]==]
try [==[x:chunk(2, 2)]==]
try [==[torch.chunk(3, 2)]==]
try [==[x:unbind("a")]==]
try [==[x:unbind(0, 1)]==]
try [==[torch.unbind(3)]==]
try [==[x:tensor_split(0)]==]
try [==[torch.cat({})]==]
try [==[torch.cat(x)]==]
try [==[torch.cat({x, x}, "a")]==]
try [==[torch.cat({x, x}, 1, 2)]==]
try [==[torch.cat({x, x}, {dims = 1})]==]
