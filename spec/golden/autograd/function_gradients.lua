-- Functions of one's own as programs use them: estimators, reversal, second gradients, results that are not used.
local torch = require "torch"
local Function = torch.autograd.Function
local function try(...)
  local ok, e = pcall(...)
  print(ok and "no error" or (tostring(e):match "^[^\n]*"))
end

-- a straight-through estimator
local Round = Function:extend "Round"
function Round.forward(_, x) return x:round() end
function Round.backward(_, grad) return grad end
local x = torch.tensor({0.3, 1.7, -2.4}, {requires_grad = true})
local y = Round.apply(x)
print(y)
;(y * y):sum():backward()
print(x.grad)

-- the sign of a gradient turned
local Reverse = Function:extend "Reverse"
function Reverse.forward(ctx, t, lambda)
  ctx.lambda = lambda
  return t:view_as(t)
end
function Reverse.backward(ctx, grad) return -ctx.lambda * grad, nil end
x.grad = nil
;(Reverse.apply(x, 0.5) * 3):sum():backward()
print(x.grad)

-- exp and relu with second gradients
local Exp = Function:extend "Exp"
function Exp.forward(ctx, t)
  local result = t:exp()
  ctx:save_for_backward(result)
  return result
end
function Exp.backward(ctx, grad) return grad * ctx.saved_tensors[1] end
local e = Exp.apply(x)
print(e)
local g = torch.autograd.grad(e:sum(), x, {create_graph = true})
print(g)
local h = torch.autograd.grad((g * g):sum(), x, {create_graph = true})
print(h)
print(torch.autograd.grad(h:sum(), x))
local ReLU = Function:extend "ReLU"
function ReLU.forward(ctx, t)
  ctx:save_for_backward(t)
  return t:clamp(0)
end
function ReLU.backward(ctx, grad)
  local t = ctx.saved_tensors[1]
  return grad * t:gt(0)
end
g = torch.autograd.grad((ReLU.apply(x) ^ 3):sum(), x, {create_graph = true})
print(g)
print(torch.autograd.grad(g:sum(), x))

-- two results, one of them not used
local Split = Function:extend "Split"
function Split.forward(ctx, t)
  ctx:save_for_backward(t)
  return t:sin(), t:cos()
end
function Split.backward(ctx, gs, gc)
  local t = ctx.saved_tensors[1]
  print(gs, gc)
  return gs * t:cos() - gc * t:sin()
end
local s, c = Split.apply(x)
print(s, c)
x.grad = nil
s:sum():backward()
print(x.grad)
local Quiet = Function:extend "Quiet"
function Quiet.forward(ctx, t)
  ctx:set_materialize_grads(false)
  return t * 2, t * 3
end
function Quiet.backward(_, a, b)
  print(a, b)
  return a
end
s, c = Quiet.apply(x)
s:sum():backward()

-- a result without a gradient
local Sorted = Function:extend "Sorted"
function Sorted.forward(ctx, t)
  local values, indices = t:sort()
  local ranks = indices:to(torch.float32)
  ctx:mark_non_differentiable(ranks)
  ctx:save_for_backward(indices)
  return values, ranks
end
function Sorted.backward(ctx, grad, other)
  print(grad, other)
  return torch.zeros_like(grad):scatter(0, ctx.saved_tensors[1], grad)
end
local values, ranks = Sorted.apply(x)
print(values, ranks, ranks.requires_grad)
x.grad = nil
;(values * torch.tensor{1.0, 2.0, 3.0}):sum():backward()
print(x.grad)

-- the context filled after the forward
local Cube = Function:extend "Cube"
function Cube.forward(t, n) return t ^ 3 * n end
function Cube.setup_context(ctx, inputs, output)
  print(inputs[1], inputs[2], output)
  ctx:save_for_backward(inputs[1])
  ctx.n = inputs[2]
end
function Cube.backward(ctx, grad) return 3 * ctx.n * ctx.saved_tensors[1] ^ 2 * grad, nil end
x.grad = nil
Cube.apply(x, 2):sum():backward()
print(x.grad)
local Kept = Function:extend "Kept"
function Kept.forward(t) return t end
function Kept.setup_context(ctx, inputs) ctx:save_for_backward(inputs[1]) end
function Kept.backward(_, grad) return grad end
try(Kept.apply, x)

-- errors: within a backward, of the graph, of what was saved
local Fails = Function:extend "Fails"
function Fails.forward(_, t) return t * 2 end
function Fails.backward(_, grad) return grad:reshape(7) end
try(function() Fails.apply(x):sum():backward() end)
local Square = Function:extend "Square"
function Square.forward(ctx, t)
  ctx:save_for_backward(t)
  return t * t
end
function Square.backward(ctx, grad) return 2 * grad * ctx.saved_tensors[1] end
local base = x * 1
y = Square.apply(base)
base:add_(1)
try(function() y:sum():backward() end)
y = Square.apply(x)
y:sum():backward{retain_graph = true}
y:sum():backward()
try(function() y:sum():backward() end)

-- networks
local net = Square.apply(Exp.apply(x * 2))
net:retain_grad()
net:mean():backward()
print(net.grad, x.grad)
