-- What is saved for backward goes through hooks.
local torch = require "torch"
local graph = torch.autograd.graph
local function try(...)
  local ok, e = pcall(...)
  print(ok and "no error" or (tostring(e):match "^[^\n]*"))
end
local function pack(t)
  print("pack", t)
  return t
end
local function unpack(t)
  print("unpack", t:detach())
  return t
end
local a = torch.tensor({1.0, 2.0}, {requires_grad = true})
local b = torch.tensor({3.0, 4.0}, {requires_grad = true}) * 2
local y
do
  local _ <close> = graph.saved_tensors_hooks(pack, unpack)
  y = (a * 2):exp():tanh()
end
y = y * 3
y:sum():backward{retain_graph = true}
print(a.grad)
-- any value may be packed
local kept = {}
do
  local _ <close> = graph.saved_tensors_hooks(function(t)
    kept[#kept + 1] = t:detach():clone()
    return #kept
  end, function(i) return kept[i] end)
  y = (a * b):sin()
end
a.grad = nil
y:sum():backward()
print(a.grad, #kept)
-- second gradients, nested hooks, a function of one's own
do
  local _ <close> = graph.saved_tensors_hooks(function(t) return t * 2 end, function(t) return t / 2 end)
  y = a ^ 3
  do
    local _ <close> = graph.saved_tensors_hooks(function(t) print("inner") return t end, function(t) return t end)
    y = y * y
  end
end
local g = torch.autograd.grad(y:sum(), a, {create_graph = true})
print(g)
print(torch.autograd.grad(g:sum(), a))
local Square = torch.autograd.Function:extend "Square"
function Square.forward(ctx, t)
  ctx:save_for_backward(t)
  return t * t
end
function Square.backward(ctx, grad) return 2 * grad * ctx.saved_tensors[1] end
do
  local _ <close> = graph.saved_tensors_hooks(pack, unpack)
  y = Square.apply(a * 1)
end
print(torch.autograd.grad(y:sum(), a))
do
  local _ <close> = graph.save_on_cpu()
  y = (a * a):tanh()
end
print(torch.autograd.grad(y:sum(), a))
-- what may go wrong
local function through(p, u)
  return function()
    local _ <close> = graph.saved_tensors_hooks(p, u)
    return (a * a):sum():backward()
  end
end
local function same(t) return t end
try(through(same, function() return 7 end))
try(through(function(t) return t:detach():add_(1) end, same))
try(through(same, same))
try(through(function() return nil end, same))
print(a.grad)
print((a * a):sum().grad_fn:name())
