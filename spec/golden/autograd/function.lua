-- Functions with a derivative of one's own: what they may return, save and mark.
local torch = require "torch"
local Function = torch.autograd.Function
local function try(...)
  local ok, e = pcall(...)
  print(ok and "no error" or (tostring(e):match "^[^\n]*"))
end
local function make(name, forward, backward)
  local class = Function:extend(name)
  class.forward, class.backward = forward, backward
  return class
end
local function same(_, g) return g end
local x = torch.tensor({1.0, -2.0, 3.0}, {requires_grad = true})
local y = torch.tensor({3.0, 4.0, 5.0}, {requires_grad = true})

-- what stands in ctx
local F = Function:extend "F"
function F.forward(ctx, a, b, k)
  ctx:save_for_backward(a, nil, b)
  print(ctx.needs_input_grad[1], ctx.needs_input_grad[2], ctx.needs_input_grad[3], #ctx.saved_tensors)
  ctx.k = k
  return a * b, "text", a:argmax(), a + 1
end
function F.backward(ctx, ...)
  print(...)
  print(ctx.saved_tensors[1], ctx.saved_tensors[2], ctx.saved_tensors[3], ctx.k, ctx.needs_input_grad[2])
  return (...), nil, nil
end
local a, text, index, b = F.apply(x, y, 7)
print(a, text, index, b)
print(a.grad_fn:name(), a.grad_fn.k, #a.grad_fn.next_functions)
print(torch.autograd.grad(a:sum(), x, {retain_graph = true}))
a:sum():backward()
print(x.grad, y.grad)
try(function() return a.grad_fn.saved_tensors end)
try(function() a:sum():backward() end)

-- what is missing
local Empty = Function:extend "Empty"
try(Empty.apply, x)
Empty.forward = function(_, t) return t * 2 end
try(function() Empty.apply(x):sum():backward() end)

-- what a backward may return
local returned = {
  function() return 1.0 end, function() return nil end, function() return 1, 2 end, function() return torch.ones(3), nil end,
  function() return torch.ones(3), torch.ones(3) end, function() return torch.ones(2) end,
  function() return torch.ones(3, {dtype = torch.int64}) end, function() return "s" end, function() return torch.ones(2, 3) end,
}
for _, result in ipairs(returned) do
  x.grad = nil
  try(function() make("R", function(_, t) return t * 2 end, function() return result() end).apply(x):sum():backward() end)
  print(x.grad)
end
try(function() make("Two", function(_, t) return t * 2 end, function(_, g) return g, g end).apply(x, 1):sum():backward() end)
try(function() make("Two", function(_, t) return t * 2 end, same).apply(x, 1):sum():backward() end)

-- what may be saved and marked
try(make("Saves", function(ctx, t) ctx:save_for_backward(1) return t * 2 end, same).apply, x)
try(make("Saves", function(ctx, t) ctx:save_for_backward(1) return t * 2 end, same).apply, x:detach())
try(make("Marks", function(ctx, t) ctx:mark_dirty(1) return t * 2 end, same).apply, x)
try(make("Marks", function(ctx, t) ctx:mark_dirty(t) return t * 2 end, same).apply, x)
try(make("Marks", function(ctx, t) ctx:mark_dirty(t) return t * 2 end, same).apply, x:detach())
try(make("Marks", function(ctx, t) ctx:mark_non_differentiable(3) return t * 2 end, same).apply, x)

-- in place
local Add = make("Add", function(ctx, t) ctx:mark_dirty(t) return t:add_(1) end, function(_, g) return g * 10 end)
try(Add.apply, x:detach():requires_grad_())
try(Add.apply, x:detach():requires_grad_()["0:1"])
local c = x * 1
local d = Add.apply(c)
print(rawequal(c, d), c, c._version)
x.grad = nil
c:sum():backward()
print(x.grad)
c = x * 1
local part = c["0:2"]
part = Add.apply(part)
print(part, c)
x.grad = nil
c:sum():backward()
print(x.grad)
local Both = make("Both", function(ctx, t) ctx:mark_dirty(t) return t:add_(1), t * 2 end, function(_, g, h) return g + h end)
try(Both.apply, (x * 1)["0:1"])
print(Both.apply(x * 1))

-- inputs and views as results
local Same = make("Same", function(_, t) return t end, function(_, g) return g * 3 end)
d = Same.apply(x)
print(d, rawequal(d, x), d.grad_fn:name())
try(function() d:add_(1) end)
x.grad = nil
Same.apply(x):sum():backward()
print(x.grad)
d = make("View", function(_, t) return t:view(3, 1) end, function(_, g) return g:view(3) end).apply(x * 1)
print(d)
try(function() d:add_(1) end)
d = make("Views", function(_, t) return t:view(3, 1), t["0:1"] end, function(_, g) return g:view(3) end).apply(x * 1)
try(function() d:add_(1) end)
do
  local _ <close> = torch.no_grad()
  d = make("Quiet", function(ctx, t) print(ctx.needs_input_grad[1]) return t end, same).apply(x)
  print(d, d.requires_grad)
end
print(make("None", function() return nil end, same).apply(x))
print(make("Alone", function() return torch.ones(1) end, same).apply(x:detach()))
print(make("Ints", function(_, t) return t:argmax(), t:gt(0) end, same).apply(x))
