-- The names of second gradients' nodes, and of what some functions end with.
local torch = require "torch"
local F = torch.nn.functional
local function graph(...) return torch.ones({...}, {requires_grad = true}) end
local function second(f)
  local x = graph(4)
  print(torch.autograd.grad((f(x)):sin():sum(), x, {create_graph = true}).grad_fn:name())
end
second(F.softshrink)
second(F.hardshrink)
second(function(x) return 0.5 - x end)
second(function(x) return torch.rsub(x, 2) end)
second(function(x) return torch.ones(4) - x end)
second(function(x) return (x:cummin(-1)) end)
second(function(x) return (x:cummax(0)) end)
second(function(x) return (x:sort()) end)
second(function(x) return (torch.topk(x, 2)) end)
second(function(x) return x:gather(0, torch.tensor{0, 1}):pow(2) end)
second(function(x) return x:index_select(0, torch.tensor{0, 1}):pow(2) end)
for _, name in ipairs{"max", "min", "median", "mode", "nanmedian"} do second(function(x) return (x[name](x, 0)) end) end
for _, name in ipairs{"mse_loss", "smooth_l1_loss", "huber_loss"} do second(function(x) return F[name](x, torch.zeros(4)) end) end

-- huber_loss's gradient wants one dtype
for _, target in ipairs{torch.ones({4}, {dtype = torch.int64}), torch.ones({4}, {dtype = torch.float64})} do
  local x = graph(4)
  local ok, message = pcall(function() F.huber_loss(x, target):backward() end)
  print(ok or (tostring(message):match "[^\n]*"))
end

for _, sizes in ipairs{{3}, {2, 3}, {2, 2, 3}} do print(F.linear(graph(table.unpack(sizes)), torch.ones(2, 3), torch.tensor(1.0)).grad_fn:name()) end
for n = -2, 3 do print(torch.linalg.matrix_power(torch.eye(2, {requires_grad = true}), n).grad_fn:name()) end

-- gradients of gradients: what they are, and what their nodes are called
local function chain(y, x, n)
  for _ = 1, n do
    y = torch.autograd.grad(y:sum(), x, {create_graph = true})
    print(y)
  end
end
local x = torch.linspace(-1, 2, 8):reshape(2, 4):requires_grad_()
chain(F.glu(x) * torch.tensor{1., 2.}, x, 2)
local p = torch.linspace(0.1, 0.9, 4):requires_grad_()
local t = torch.tensor({0., 1., 0.5, 0.25}, {requires_grad = true})
for _, reduction in ipairs{"mean", "sum", "none"} do
  for _, weight in ipairs{false, torch.tensor{1., 2., 3., 4.}} do
    local loss = F.binary_cross_entropy(p, t, {weight = weight or nil, reduction = reduction})
    chain(loss, p, 2)
    local by_target = torch.autograd.grad(loss:sum(), t, {create_graph = true})
    print(by_target, (torch.autograd.grad(by_target:sum(), p)))
    local slope = torch.autograd.grad((F.binary_cross_entropy(p, t, {weight = weight or nil, reduction = reduction}) * 3):sum(), p, {create_graph = true})
    print((torch.autograd.grad(slope:sum(), t)))
  end
end
print(torch.autograd.grad(F.binary_cross_entropy(torch.tensor{0., 1.}, graph(2)):sum() * 0, graph(2), {allow_unused = true}))
do   -- by a target of certainties
  local target = graph(2)
  F.binary_cross_entropy(torch.tensor{0., 1.}, target):backward()
  print(target.grad)
end
print(torch.as_strided_copy(x, {2, 3}, {1, 2}).grad_fn:name())
print(torch.rsub(x, torch.tensor(2)).grad_fn:name(), torch.rsub(x, 2).grad_fn:name(), (2 - x).grad_fn:name())

-- products with zeros, whose gradients are zeros from two on
for _, values in ipairs{{-0., 2., 0.}, {-0., 2., -3.}, {-0., -0., 0.}} do
  local x = torch.tensor(values, {requires_grad = true})
  x:prod():backward()
  print(x.grad)
end
-- an element of a leaf's view that was made without a graph: no gradient goes anywhere
do
  local leaf = graph(2, 2)
  local view = torch.no_grad(function() return leaf:t() end)
  view[torch.tensor{0, 1}]:sum():backward()
  print(leaf.grad, view.grad)
end
do
  local leaf = graph(4)
  local y = leaf:as_strided({2}, {1})
  print(torch.autograd.grad((y * y):sum(), leaf, {create_graph = true}).grad_fn:name())
end
