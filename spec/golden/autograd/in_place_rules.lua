-- What operators in place leave of the graph: comparisons, logic, random numbers, integers; and what has no derivative.
local torch = require "torch"
local F = torch.nn.functional
local function halves() return torch.full({2}, 0.5, {requires_grad = true}) end
for _, name in ipairs{"lt_", "le_", "gt_", "ge_", "eq_", "ne_", "less_", "less_equal_", "greater_", "greater_equal_", "not_equal_"} do
  local x = halves()
  local y, z = x * 2, x * 2
  y[name](y, 0)
  z[name](z, torch.ones(2))
  print(name, y.grad_fn:name(), z.grad_fn:name())
  y:sum():backward()
  print(x.grad)
end
for _, name in ipairs{"logical_and_", "logical_or_", "logical_xor_"} do
  local x = halves()
  local y = x * 2
  y[name](y, torch.zeros(2))
  x[name](x, torch.ones(2))
  print(name, y, y._version, x)
end
local x = halves()
print(x:logical_not_(), x._version)
x = halves()
local function name_of(y) return y.grad_fn:name() end
print(name_of((x * 1):asinh_()), name_of((x * 1):acosh_()), name_of((x * 1):atanh_()))
print(name_of(F.elu_(x * 1)), name_of(F.leaky_relu_(x * 1)))
print(name_of((x * 1):random_()), name_of((x * 1):random_(3)), name_of((x * 1):random_(1, 3)))

local counts = torch.arange(4)
counts[1] = x:sum()
print(counts, counts.requires_grad, counts.is_leaf)

for _, f in ipairs{function() return 5 // x end, function() return x // 5 end, function() return 3 % x end, function() return x:heaviside(x) end,
    function() return (x * 1):floor_divide_(2) end, function() return (x * 1):heaviside_(x) end} do
  local y = f()
  print(y.grad_fn:name(), y)
  local _, message = pcall(function() y:sum():backward() end)
  print((tostring(message):match "^[^\n]*"))
end
print(x:unique())
local _, message = pcall(function() x:unique():sum():backward() end)
print((tostring(message):match "^[^\n]*"))
