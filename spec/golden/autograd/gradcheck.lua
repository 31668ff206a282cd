-- Gradients against finite differences.
local torch = require "torch"
local gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck
local function try(f, ...)
  local ok, e = pcall(f, ...)
  if ok then print(e) else print((tostring(e):gsub("\nat .*", ""):gsub("\nhint: .*", ""):gsub("%s+$", ""))) end
end
local x = torch.tensor({{0.5, -1.5}, {2.5, 3.0}}, {dtype = torch.float64, requires_grad = true})
local y = torch.tensor({0.25, 2.0}, {dtype = torch.float64, requires_grad = true})
try(gradcheck, function(a, b) return a * b, a:exp() end, {x, y})
try(gradcheck, function(a) return (a ^ 3):sum() end, x)
try(gradcheck, function(a) return a:matmul(y:detach()) end, {x}, {eps = 1e-5, atol = 1e-4})
try(gradcheck, function(a) return a:detach() * 0 end, y)
try(gradcheck, function(a) return a:detach() * 2 end, y)
try(gradcheck, function(a) return a:t():tanh() end, x:t())
try(gradgradcheck, function(a, b) return a * b, a:exp() end, {x, y})
try(gradgradcheck, function(a) return a:sin():sum() end, x, torch.tensor(1.5, {dtype = torch.float64, requires_grad = true}))

local function make(forward, backward)
  local class = torch.autograd.Function:extend "F"
  class.forward, class.backward = forward, backward
  return class.apply
end
local function double(_, t) return t * 2 end
local wrong = make(double, function(_, g) return g * 3 end)
try(gradcheck, wrong, y)
try(gradcheck, wrong, y, {raise_exception = false})
try(gradcheck, make(double, function(_, g) return g:clone():fill_(2) end), torch.tensor(1.0, {dtype = torch.float64, requires_grad = true}))
try(gradcheck, make(function(ctx, t) ctx:set_materialize_grads(false) return t * 2 end, function(_, g)
  return g and g * 2 or torch.ones(2):reshape(3)
end), y)
try(gradcheck, make(double, function(_, g) return (g * 2):to(torch.float32) end), y)
local calls = 0
local drifting = make(double, function(_, g)
  calls = calls + 1
  return g * 2 + 1e-7 * calls * g
end)
try(gradcheck, drifting, y, {raise_exception = false})
calls = 0
try(gradcheck, drifting, y, {nondet_tol = 1e-5})
-- the gradient of a gradient, where a backward has none
local once = make(function(ctx, t)
  ctx:save_for_backward(t)
  return t * t
end, function(ctx, g) return (g * 2 * ctx.saved_tensors[1]):detach() end)
try(gradcheck, once, y)
try(gradgradcheck, once, y, {raise_exception = false})
try(gradcheck, double, y:detach())
try(gradcheck, function(a) return a * 2 end, y[0]:expand(3))
try(gradcheck, wrong, y, {check_backward_ad = false})
