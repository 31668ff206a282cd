-- cpu only: has the CPU's digits
-- To the last digit: neighbours, mantissas, lgamma, norms of order 3; indices that meet; gradients of distances.
local torch = require "torch"
local function digits(...)
  for _, t in ipairs{...} do print(t:double() * 1048576.0) end
end
local x = torch.arange(40, {dtype = torch.float32}) / 7 - 2.9
local zero = torch.tensor({0.0, -0.0, 1e-45, -1e-45, 3.4e38, 1e-39})
local less, more = torch.nextafter(x, x - 1), torch.nextafter(x, x + 1)
print(less:lt(x):all(), more:gt(x):all(), torch.nextafter(less, x):eq(x):all(), torch.nextafter(zero, torch.ones(6)) * 1e30)
print(zero:frexp())
print(x:double():frexp())
digits(x:lgamma(), x:abs():lgamma())
local m = x:reshape(4, 10)
digits(m:norm(3, 1), m:norm(3, 0), m:norm(1.5), m:norm(0.5, 1))
print(m:amax(1), m:amin(1), torch.cat({m, m, m, m, m, m, m, m, m}, 1):amax(1), torch.cat({m, m, m, m, m, m, m, m, m}, 1):amin(1))
local k = torch.arange(10, {dtype = torch.int64}) * 12345
print(k:bitwise_left_shift(3), k:bitwise_left_shift(k % 5), k:bitwise_right_shift(2), k:bitwise_left_shift(70))

local index, rows = torch.tensor{2, 0, 2, 1, 2, 0}, torch.tensor{3, 1, 3, 3}
for _, dtype in ipairs{torch.float32, torch.float64, torch.bfloat16, torch.int32} do
  local from, to = (m:reshape(-1)["0:6"] * 3):to(dtype), torch.tensor({1.5, 2.0, 3.25}):to(dtype)
  for _, how in ipairs{"sum", "prod", "mean", "amax", "amin"} do
    print(to:scatter_reduce(0, index, from, how), to:scatter_reduce(0, index, from, how, {include_self = false}))
    if how ~= "sum" then
      local table_ = m:to(dtype)
      print(table_:index_reduce(0, rows, table_:flip(0), how), table_:index_reduce(0, rows, table_:flip(0), how, {include_self = false}))
      print(table_:t():index_reduce(1, rows, table_:t():flip(1), how))
    end
  end
end

for _, p in ipairs{1.0, 1.5, 2.0, 3.0, 4.5, math.huge} do
  local a, b = torch.sin(x):reshape(5, 8):requires_grad_(), torch.cos(x):reshape(5, 8):requires_grad_()
  local weights = torch.arange(25.0):reshape(5, 5) / 25;
  (torch.cdist(a, b, {p = p, compute_mode = "donot_use_mm_for_euclid_dist"}) * weights):sum():backward()
  print(a.grad, b.grad)
  local c = torch.sin(x):reshape(5, 8):requires_grad_();
  (torch.pdist(c, p) * torch.arange(10.0)):sum():backward()
  print(c.grad)
end
