-- Arguments of cat, stack, tile, flip, roll and unfold.
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
try [==[torch.cat({x, torch.ones(2)})]==]
try [==[torch.cat({x, torch.ones(3, 3)}, 1)]==]
try [==[torch.cat({x, {1, 2}})]==]
try [==[torch.cat(x, x)]==]
try [==[torch.cat("a")]==]
try [==[torch.stack(x)]==]
try [==[torch.stack({x, x}, -4)]==]
try [==[torch.stack({x, "a"})]==]
try [==[torch.stack()]==]
try [==[torch.hstack({x, torch.ones(3)})]==]
try [==[torch.hstack()]==]
try [==[torch.vstack({})]==]
try [==[torch.dstack({x, torch.ones(3, 3)})]==]
try [==[x:rep()]==]
try [==[x:rep(2)]==]
try [==[x:rep("a")]==]
try [==[x:rep(2, 2.5)]==]
try [==[torch.tile(x, 2)]==]
try [==[torch.tile(x, {-1})]==]
try [==[x:repeat_interleave()]==]
try [==[x:repeat_interleave("a")]==]
try [==[x:repeat_interleave(torch.tensor{1, 2})]==]
try [==[x:repeat_interleave(torch.tensor{1, 2}, {dim = 1})]==]
try [==[x:repeat_interleave(torch.tensor{1, -2}, {dim = 0})]==]
try [==[torch.flip(x, 0)]==]
try [==[torch.flip(x, {0, 0})]==]
try [==[torch.flip(x, "a")]==]
try [==[x:flip(0, 1)]==]
try [==[x:flip("a")]==]
try [==[torch.roll(x, 1, 2)]==]
try [==[torch.roll(x, {1, 2}, 0)]==]
try [==[torch.roll(i, 1)]==]
try [==[torch.rot90(x, 1, {0, 0})]==]
try [==[torch.movedim(x, 0, 2)]==]
try [==[torch.swapaxes(x, 0, 2)]==]
try [==[torch.swapdims(x, 0)]==]
try [==[x:unfold(0, 1, 0)]==]
try [==[x:unfold(0, 1)]==]
try [==[x:as_strided({2, 2}, {1})]==]
try [==[x:as_strided({3, 3}, {3, 1})]==]
