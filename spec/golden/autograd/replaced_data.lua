-- x.data = y between forward and backward: of a leaf, of a view, of a base.
local torch = require "torch"
local function try(name, f)
  local ok, e = pcall(f)
  print(name, ok and "no error" or (tostring(e):match "^[^\n]*"))
end
local function leaf(...) return torch.ones(..., {requires_grad = true}) end

-- a leaf that looks as before: the new values are read, and its count of writes goes on
local w = leaf(4)
local y = w * w
w.data = torch.full({4}, 5.0)
y:sum():backward()
print(w.grad, w._version)
w = leaf(4)
torch.no_grad(function() w:add_(1) end)
y = w * w
w.data = torch.full({4}, 5.0)
print(w._version)
y:sum():backward()
print(w.grad)
w = leaf(4)
y = w * w
w.data = torch.full({4}, 5.0)
torch.no_grad(function() w:add_(1) end)
try("written after", function() y:sum():backward() end)
w = leaf(4)
y = w * w
w.data = torch.ones(2)
w.data = torch.full({4}, 7.0)
y:sum():backward()
print(w.grad)
w = leaf(4)
local g = torch.autograd.grad((w * w * w):sum(), w, {create_graph = true})
w.data = torch.full({4}, 3.0)
g:sum():backward()
print(w.grad)

-- another shape: a gradient of the one from before
w = leaf(4)
y = w * 2
w.data = torch.ones(2)
print(torch.autograd.grad(y:sum(), w))
w = leaf(4)
y = w + 1
w.data = torch.ones(1)
try("smaller", function() y:sum():backward() end)
w = leaf {2, 3}
y = w * 2
torch.no_grad(function() w:t_() end)
try("transposed", function() y:sum():backward() end)

-- a view that is written in place
local x
w = torch.zeros(4, {requires_grad = true})
x = w * 1
local v = x[{"0:2"}]
v.data = torch.ones(2)
v:mul_(2)
x:sum():backward()
print(x, v, v._version, w.grad)
w = torch.zeros(4, {requires_grad = true})
x = w * 1
v = x[{"0:2"}]
v.data = torch.ones({2}, {dtype = torch.float64})
v:mul_(2)
x:sum():backward()
print(v, w.grad)
-- and does not lie within its base
x = torch.zeros(4, {requires_grad = true}) * 1
v = x[{"0:2"}]
v.data = torch.ones(1000)
v:mul_(2)
try("beyond", function() x:sum():backward() end)
x = torch.zeros(1000, {requires_grad = true}) * 1
v = x[{"0:900"}]
x.data = torch.zeros(1)
v:mul_(2)
try("of a base that shrank", function() v:sum():backward() end)
w = leaf(4)
y = torch.zeros(1000)[{"0:4"}]:detach()
y:copy_(w)
v = y:as_strided({1000}, {1}, 0)
v:mul_(2)
try("of the storage", function() y:sum():backward() end)
w = leaf(10)
y = torch.zeros(10)[{"2:4"}]:detach()
y:copy_(w[{"0:2"}])
v = y:as_strided({8}, {1}, 0)
v:mul_(3)
try("before its base", function() y:sum():backward() end)
local Twice = torch.autograd.Function:extend "Twice"
function Twice.forward(ctx, t)
  t:mul_(2)
  ctx:mark_dirty(t)
  return t
end
function Twice.backward(_, grad) return grad * 2 end
x = torch.zeros(4, {requires_grad = true}) * 1
v = x[{"0:2"}]
v.data = torch.ones(1000)
Twice.apply(v)
try("marked as dirty", function() x:sum():backward() end)
w = leaf(4)
x = w * 1
v = x[{"0:2"}]
v.data = torch.ones(1000)
v:mul_(w:sum())
try("with a graph", function() torch.autograd.grad(x:sum(), w, {create_graph = true}) end)
