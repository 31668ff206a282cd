-- fill_diagonal_, linalg.matrix_sqrth and linalg.polar beyond their samples.
local torch = require "torch"

local function attempt(f, ...)
  local ok, e = pcall(f, ...)
  print(ok, ok or (e.message:match "^[^\n]*"))
end

for _, shape in ipairs{{7, 3}, {3, 7}, {4, 3}, {8, 1}, {3, 3, 3}, {0, 3}, {3, 0}} do
  print(torch.zeros(shape):fill_diagonal_(5))
  print(torch.zeros(shape):fill_diagonal_(5, true))
end
print(torch.zeros(6, 4)[{":", "::2"}]:fill_diagonal_(1, {wrap = true}))
print(torch.zeros({2, 2}, {dtype = torch.bool}):fill_diagonal_(3))
print(torch.zeros({2, 2}, {dtype = torch.int64}):fill_diagonal_(2.5))
local x = torch.ones({7, 3}, {requires_grad = true})
local y = (x * 2):fill_diagonal_(0, true)
y:mul(y):sum():backward()
print(x.grad)
attempt(function() x:fill_diagonal_(1) end)
attempt(function() torch.zeros(3):fill_diagonal_(1) end)
attempt(function() torch.zeros(2, 3, 3):fill_diagonal_(1) end)
attempt(function() torch.zeros({2, 2}, {dtype = torch.uint8}):fill_diagonal_(300) end)

local d = {dtype = torch.float64, requires_grad = true}
local a = torch.tensor({{2., 1., 0.}, {1., 3., 1.}, {0., 1., 4.}}, d)
local weight = torch.arange(9, {dtype = torch.float64}):reshape(3, 3)
local root = torch.linalg.matrix_sqrth(a)
print(root:detach(), torch.allclose(root:matmul(root), a))
local first = torch.autograd.grad((root * weight):sum(), a, {create_graph = true})[1]
print(first:detach(), torch.autograd.grad((first * weight:sin()):sum(), a)[1])
print(torch.linalg.matrix_sqrth(torch.eye(2):neg()), torch.linalg.matrix_sqrth(torch.zeros(2, 0, 0)))

a = torch.tensor({{2., 1.}, {1., 3.}, {0., 1.}}, d)
weight = weight[{":", ":2"}]
local U, H = torch.linalg.polar(a)
print(U:detach(), H:detach())
first = torch.autograd.grad((U * weight):sum() + (H * weight[":2"]:sin()):sum(), a, {create_graph = true})[1]
print(first:detach(), torch.autograd.grad((first * weight:sin()):sum(), a)[1])
for _, bad in ipairs{torch.ones(3), torch.ones(2, 3), torch.ones({2, 2}, {dtype = torch.int64}), torch.ones({2, 2}, {dtype = torch.float16})} do
  attempt(torch.linalg.polar, bad)
  attempt(torch.linalg.matrix_sqrth, bad)
end
for _, name in ipairs{"inv", "det", "cholesky", "qr", "svd", "matrix_exp", "vecdot"} do
  local whole = torch.ones({2, 2}, {dtype = torch.int64})
  if name == "vecdot" then attempt(torch.linalg.vecdot, whole, whole) else attempt(torch.linalg[name], whole) end
end
