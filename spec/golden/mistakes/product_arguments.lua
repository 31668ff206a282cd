-- Arguments of products: sizes, dtypes, kinds.
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
try [==[torch.mm(x, x)]==]
try [==[torch.mm(x, torch.ones(3))]==]
try [==[torch.mm(torch.ones(3), x)]==]
try [==[torch.mm(x)]==]
try [==[torch.mm(x, i)]==]
try [==[torch.mm(x:long(), x:t())]==]
try [==[torch.mm(x, d:t())]==]
try [==[torch.mm(b, b)]==]
try [==[torch.matmul(x, torch.ones(2))]==]
try [==[torch.matmul(torch.ones(3), x)]==]
try [==[torch.matmul(x, torch.tensor(3.0))]==]
try [==[torch.matmul(x, 3)]==]
try [==[torch.matmul(torch.ones(3), torch.ones(2))]==]
try [==[torch.matmul(torch.ones(2, 2, 3), torch.ones(3, 3, 2))]==]
try [==[torch.matmul(torch.ones(2, 2, 3), torch.ones(2, 2, 3))]==]
try [==[torch.matmul(i, x)]==]
try [==[torch.matmul(torch.ones(3), torch.ones(3, {dtype = torch.int64}))]==]
try [==[torch.matmul(x:half(), x:t())]==]
try [==[x:matmul()]==]
try [==[x:mm(x, x)]==]
try [==[x:dot(x)]==]
try [==[torch.dot(i, x)]==]
try [==[torch.dot(torch.ones(3), 1)]==]
try [==[torch.dot(torch.ones(3), torch.arange(3))]==]
try [==[torch.mv(x, torch.ones(2))]==]
try [==[torch.mv(x, x)]==]
try [==[torch.mv(x, torch.arange(3))]==]
try [==[torch.bmm(x, x)]==]
try [==[torch.bmm(torch.ones(2, 2, 3), torch.ones(2, 2, 3))]==]
try [==[torch.bmm(torch.ones(2, 2, 3), torch.ones(3, 3, 2))]==]
try [==[torch.outer(x, x)]==]
try [==[torch.outer(torch.ones(2), 3)]==]
try [==[torch.addmm(x, x, x)]==]
try [==[torch.addmm(torch.ones(5), x, x:t())]==]
try [==[torch.addmm(x, x)]==]
try [==[torch.addmm(i, torch.ones(2, 2), torch.ones(2, 2))]==]
try [==[torch.addmv(torch.ones(3), x, torch.ones(3))]==]
try [==[torch.linalg.norm(x, {dim = 5})]==]
try [==[torch.linalg.vector_norm(i)]==]
try [==[torch.softmax()]==]
