-- Arguments of backward and of torch.autograd, and lists with tensors inside.
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
try [==[torch.tensor({1, {2}})]==]
try [==[torch.tensor({1.5, {2}})]==]
try [==[torch.tensor({true, {2}})]==]
try [==[torch.tensor({{1}, 2})]==]
try [==[torch.tensor({{1, 2}, {3, {4}}})]==]
try [==[torch.tensor({1, 'a'})]==]
try [==[torch.tensor({1.5, 'a'})]==]
try [==[torch.tensor({{'a'}})]==]
try [==[torch.tensor('a')]==]
try [==[torch.tensor({x, 1})]==]
try [==[torch.tensor({torch.ones(1), torch.ones(1)})]==]
try [==[torch.tensor({torch.ones(1), 2})]==]
try [==[torch.tensor({1, torch.ones(2)})]==]
try [==[torch.tensor({torch.ones(2)})]==]
try [==[torch.tensor({torch.zeros(0)})]==]
try [==[F.nll_loss('a', i)]==]
try [==[F.nll_loss(x, 3)]==]
try [==[F.binary_cross_entropy('a', x)]==]
try [==[F.binary_cross_entropy(x, 3)]==]
try [==[F.binary_cross_entropy_with_logits(x, 3)]==]
try [==[F.kl_div(x, 3)]==]
try [==[F.mse_loss('a', x)]==]
try [==[F.linear('a', x)]==]
try [==[F.elu('a')]==]
try [==[F.hardtanh('a')]==]
try [==[F.l1_loss(3, x)]==]
try [==[F.huber_loss(3, x)]==]
try [==[F.smooth_l1_loss('a', x)]==]
try [==[F.glu('a')]==]
try [==[torch.autograd.grad(g, 3)]==]
try [==[torch.autograd.grad(3, g)]==]
try [==[torch.autograd.grad({3}, g)]==]
try [==[torch.autograd.grad(g:sum(), {3})]==]
try [==[torch.autograd.grad()]==]
try [==[torch.autograd.grad(g:sum())]==]
try [==[torch.autograd.grad(g:sum(), g, {retain = true})]==]
try [==[torch.autograd.backward()]==]
try [==[torch.autograd.backward(3)]==]
try [==[torch.autograd.backward(g:sum(), {foo = 1})]==]
try [==[g:sum():backward{foo = 1}]==]
