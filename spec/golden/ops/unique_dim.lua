-- unique along a dimension: values, where each slice is among them, how often each occurs.
local torch = require "torch"
local T, nan = torch.tensor, 0 / 0
local function try(f, ...)
  local results = table.pack(pcall(f, ...))
  if not results[1] then print((tostring(results[2]):match "[^\n]*")) return end
  if type(results[2]) == "table" and not torch.is_tensor(results[2]) then results = table.pack(true, table.unpack(results[2])) end
  print(table.unpack(results, 2, results.n))
end
local function all(x, dim) try(torch.unique, x, {dim = dim, return_inverse = true, return_counts = true}) end
local x = T{{1, 2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 0, 9}}
all(x, 0)
all(x, 1)
all(x, 2)
all(x, -3)
all(x % 2, -1)
try(torch.unique, x, {dim = 0})
try(torch.unique, x, {dim = 0, return_inverse = true})
try(torch.unique, x, {dim = 0, return_counts = true})
try(torch.unique, x, {dim = 0, sorted = false})
try(torch.unique, x, true, false, false, 0)
try(x.unique, x, {dim = 0})
for _, dim in ipairs{true, "a", 1.5} do try(torch.unique, x, {dim = dim}) end
all(T(3), 0)
all(T{3, 1, 3}, 0)
all(torch.zeros(0), 0)
all(torch.zeros(3, 0), 0)
all(torch.zeros(3, 0), 1)
all(torch.zeros(0, 3), 0)
all(torch.zeros(0, 3, 0), 0)
-- NaN has no order and equals nothing, -0 equals 0
all(T{{1., nan}, {1., nan}, {nan, 1.}, {0., 2.}, {-0., 2.}}, 0)
all(T{nan, 2., nan, 1., 1., nan, 0.5}, 0)
all(T{{1., nan}, {nan, 3.}, {0.5, nan}, {nan, 2.}}, 0)
for _, dtype in ipairs{torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.float16, torch.bfloat16, torch.float64} do
  all((x - 1):to(dtype), 0)
end
all(torch.arange(24):view(2, 3, 4) % 3, 1)
all(torch.arange(24):view(2, 3, 4) % 2, 2)
torch.manual_seed(1)
all(torch.randint(0, 3, {100, 3}), 0)
all(torch.randint(0, 2, {3, 40, 2}):transpose(0, 2), 1)
print(table.unpack(torch.unique(x, {dim = 1}):stride()))
local y = torch.unique(torch.ones({2, 3}, {requires_grad = true}), {dim = 0})
print(y)
try(function() y:sum():backward() end)
