-- gradcheck by products with random vectors.
local torch = require "torch"
local gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck
local function try(...)
  local ok, e = pcall(...)
  print(ok and tostring(e) or (tostring(e):match "^[^\n]*"))
end
torch.manual_seed(0)
local x = torch.randn(4, 3, {dtype = torch.float64, requires_grad = true})
local y = torch.randn(3, 5, {dtype = torch.float64, requires_grad = true})
local before = torch.get_rng_state()
try(gradcheck, function(a, b) return a:matmul(b):tanh() end, {x, y}, {fast_mode = true})
print(torch.equal(before, torch.get_rng_state()))
try(gradcheck, function(a) return a:sin(), a:exp() end, {x}, {fast_mode = true})
try(gradgradcheck, function(a, b) return a:matmul(b):tanh() end, {x, y}, {fast_mode = true})
local Wrong = torch.autograd.Function:extend "Wrong"
function Wrong.forward(ctx, a)
  ctx:save_for_backward(a)
  return a:exp()
end
function Wrong.backward(ctx, g) return g * ctx.saved_tensors[1] end
try(gradcheck, Wrong.apply, {x}, {fast_mode = true})
try(gradcheck, function(a) return a:cos(), Wrong.apply(a) end, {x}, {fast_mode = true})
try(gradcheck, Wrong.apply, {x}, {fast_mode = true, raise_exception = false})
try(gradcheck, function(a) return a:detach() * 2 end, {x}, {fast_mode = true})
try(gradcheck, function(a) return torch.ones(3, {dtype = torch.float64}) end, {x}, {fast_mode = true}) -- luacheck: ignore
local calls = 0
gradcheck(function(a)
  calls = calls + 1
  return a:sin()
end, {x}, {fast_mode = true})
print(calls < x:numel()) -- not twice an element
