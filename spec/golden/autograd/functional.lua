-- Jacobians, Hessians and products with them.
local torch = require "torch"
local F = torch.autograd.functional
local function try(...)
  local ok, e = pcall(...)
  print(ok and "no error" or (tostring(e):match "^[^\n]*"))
end
local x, w = torch.tensor{1.0, 2.0, 3.0}, torch.tensor{{1.0, -1.0, 2.0}, {0.5, 0.0, 1.0}}
local function exp(t) return t:exp() end
local function cubes(t) return (t ^ 3):sum() end
local function linear(m, v) return m:matmul(v) end
local function two(a, b) return a * b, (a + b):sum() end

print(F.jacobian(exp, x))
print(F.jacobian(cubes, x))
local jw, jx = table.unpack(F.jacobian(linear, {w, x}))
print(jw)
print(jx)
local rows = F.jacobian(two, {x, x + 1})
for _, row in ipairs(rows) do print(row[1], row[2]) end
print(F.jacobian(exp, x, {vectorize = true}))
print(F.jacobian(exp, x, {create_graph = true}).requires_grad)
print(F.hessian(cubes, x))
local blocks = F.hessian(function(a, b) return (a * b * b):sum() end, {x, x + 1})
for _, row in ipairs(blocks) do print(row[1], row[2]) end

print(F.vjp(exp, x, torch.ones(3)))
print(F.vjp(cubes, x))
print(F.jvp(exp, x, torch.tensor{1.0, 0.0, 2.0}))
print(F.hvp(cubes, x, torch.tensor{1.0, 0.0, 2.0}))
print(F.vhp(cubes, x, torch.tensor{1.0, 0.0, 2.0}))
local out, parts = F.vjp(linear, {w, x}, torch.ones(2))
print(out, parts[1], parts[2])
out, parts = F.jvp(linear, {w, x}, {torch.ones(2, 3), torch.ones(3)})
print(out, parts)
local leaf = torch.tensor({1.0, 2.0}, {requires_grad = true})
print(F.vjp(exp, leaf, torch.ones(2), {create_graph = true}))
print(F.jvp(exp, leaf, torch.ones(2)))

try(F.jacobian, exp, 1.5)
try(F.vjp, exp, {1})
try(F.vjp, exp, x)
try(F.jvp, exp, x)
try(F.vjp, exp, x, torch.ones(2))
try(F.vjp, two, {x, x}, torch.ones(3))
try(F.vjp, linear, {w, x}, {torch.ones(2), torch.ones(2)})
try(F.hessian, exp, x)
try(F.hvp, exp, x, x)
try(F.vhp, two, {x, x}, {x, x})
try(F.hvp, cubes, x, torch.ones(2))
try(F.jacobian, function() return 3 end, x)
try(F.jacobian, function() return torch.ones(2) end, x)
try(F.jacobian, function() return torch.ones(2) end, x, {strict = true})
try(F.jacobian, function(a, b) return a * 2 end, {x, x}, {strict = true})
try(F.vjp, function(a, b) return a * 2 end, {x, x}, torch.ones(3), {strict = true})
try(F.hessian, function(a) return a:sum() end, x, {strict = true})
try(F.hvp, function(a) return a:sum() end, x, x, {strict = true})
try(F.jvp, function(a, b) return a * 2 end, {x, x}, {x, x}, {strict = true})
try(F.jacobian, exp, x, {strict = true, create_graph = true})
try(F.jacobian, function(a) return a * 2 end, x, {strict = true, create_graph = true})
try(F.jacobian, exp, x, {strategy = "sideways"})
print(torch.is_grad_enabled())
do
  local _ <close> = torch.no_grad()
  print(F.jacobian(exp, x), torch.is_grad_enabled())
end
