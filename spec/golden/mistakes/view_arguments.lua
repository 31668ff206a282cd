-- Arguments of view, reshape and the like.
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
try [==[x:view()]==]
try [==[x:view(-1, -1)]==]
try [==[x:view(-2, 3)]==]
try [==[x:view("a")]==]
try [==[x:view({2, "a"})]==]
try [==[x:view(x)]==]
try [==[x:view(torch.float64)]==]
try [==[x:t():view(6)]==]
try [==[x:view(-1, 4)]==]
try [==[torch.zeros(0, 3):view(-1, 0)]==]
try [==[x:reshape()]==]
try [==[x:reshape(-1, 5)]==]
try [==[x:reshape("a")]==]
try [==[x:reshape({3, 2}, 1)]==]
try [==[x:reshape(2.5)]==]
try [==[torch.reshape(x, 3, 2)]==]
try [==[torch.reshape(x, {3, 2})]==]
try [==[torch.reshape(3, {2})]==]
try [==[x:permute(1)]==]
try [==[x:permute(1, "a")]==]
try [==[x:permute(1, 1)]==]
try [==[torch.permute(x, {0})]==]
try [==[x:transpose()]==]
try [==[x:transpose(0)]==]
try [==[x:transpose(0, 1, 2)]==]
try [==[x:transpose(0.5, 1)]==]
try [==[torch.ones(2, 2, 2):t()]==]
try [==[torch.ones(2, 2, 2).mT.shape]==]
try [==[torch.ones(2).mT]==]
try [==[x.mH]==]
try [==[torch.t(3)]==]
try [==[x:t(1)]==]
try [==[x:squeeze("a")]==]
try [==[x:squeeze(-3)]==]
try [==[x:unsqueeze("a")]==]
try [==[x:unsqueeze(4)]==]
try [==[x:unsqueeze(0.5)]==]
try [==[x:unsqueeze(0, 1)]==]
try [==[x:expand()]==]
try [==[x:expand(3, 3)]==]
