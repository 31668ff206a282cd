-- cpu only: splits at a tensor, which is to be on the CPU
-- Overloads of scatter, take_along_dim, tensor_split, linspace and torch.special; gradients at NaN and infinities.
local torch = require "torch"
local F = torch.nn.functional
local nan, inf = 0 / 0, math.huge
local function try(f, ...)
  local results = table.pack(pcall(f, ...))
  if not results[1] then print((tostring(results[2]):match "[^\n]*")) return end
  if type(results[2]) == "table" and not torch.is_tensor(results[2]) then results = table.pack(true, table.unpack(results[2])) end
  print(table.unpack(results, 2, results.n))
end
-- scatter with reduce
local i, src = torch.tensor{{0, 1, 1}, {2, 2, 3}}, torch.tensor{{5., 6., 7.}, {8., 9., 10.}}
for _, reduce in ipairs{"add", "multiply", "mean"} do
  try(torch.scatter, torch.full({2, 4}, 2.), 1, i, src, {reduce = reduce})
  try(torch.scatter, torch.full({2, 4}, 2), 1, i, 3, {reduce = reduce})
  local x = torch.full({2, 4}, 2.)
  x:scatter_(1, i, src, {reduce = reduce == "mean" and "add" or reduce})
  print(x)
end
try(torch.scatter, torch.ones(2, 4), 1, i, src:double(), {reduce = "add"})
-- any index of take_along_dim counts, modulo the size
local line = torch.arange(5.)
try(torch.take_along_dim, line, torch.tensor{7, -6, -1}, 0)
try(torch.take_along_dim, torch.arange(6.):reshape(2, 3), torch.tensor{{7}, {-6}}, 1)
try(torch.take_along_dim, line, torch.tensor{0.5}, 0)
-- tensor_split at a tensor
for _, at in ipairs{torch.tensor{1, 3}, torch.tensor(2), torch.tensor(0), torch.tensor{{1}}, torch.tensor{1.}, torch.tensor({1}, {dtype = torch.int32})} do
  try(torch.tensor_split, line, at)
end
-- an empty index may be of any dtype
try(torch.gather, torch.ones(2, 5), 1, torch.zeros(0))
try(torch.gather, torch.ones(2, 5), 1, torch.zeros(1))
try(torch.scatter, torch.ones(1, 2), 1, torch.zeros(0), torch.ones(1, 2))
-- softshrink, roll, narrow
for _, x in ipairs{torch.ones(2), torch.ones(2):double(), torch.ones(2):half(), torch.ones(2):bfloat16()} do
  for _, lambda in ipairs{-0.5, nan, inf, 0} do try(F.softshrink, x, lambda) end
end
try(torch.roll, torch.tensor(1.), 1, 0)
try(torch.roll, torch.tensor(1.), 1)
try(torch.roll, torch.zeros(0), 1, 3)
try(torch.roll, torch.ones(2, 2), {1, 1}, {0, 7})
try(torch.narrow, torch.arange(4), 0, torch.tensor(1), 2)
try(torch.narrow, torch.arange(4), 0, torch.tensor{1}, 2)
try(torch.narrow, torch.arange(4), 0, torch.tensor(1.), 2)
-- poles of polygamma
for n = 2, 5 do try(torch.polygamma, n, torch.tensor{0., -1., -2., inf, -inf, nan}) end
local y = torch.tensor{0.5, 1.5}
y:polygamma_(2)
print(y)
local z = torch.tensor{2., 3.}
z = z:double()
z:float_power_(2)
print(z)
-- sequences of integers
try(torch.linspace, 4.3, -3, 50, {dtype = torch.int32})
try(torch.linspace, 0.9, 5.9, 5, {dtype = torch.int64})
try(torch.logspace, 0, 1.2, 2, {dtype = torch.int32})
try(torch.logspace, 0.7, 2, 5, 2, {dtype = torch.int16})
try(torch.tril_indices, 3, 3, 0, {dtype = torch.int32})
try(torch.triu_indices, 2, 3, {dtype = torch.float32})
-- other names
local p = torch.tensor{0.25, 0.5}
for _, name in ipairs{"digamma", "psi", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gammaln", "log1p", "logit", "round", "sinc"} do
  try(torch.special[name], p)
end
try(torch.special.softmax, p, 0)
try(torch.special.log_softmax, p, 0)
try(torch.special.logsumexp, p, 0)
try(torch.special.xlogy, p, 2)
try(torch.special.polygamma, 1, p)
try(torch.special.erf, "a")
try(torch.special.erf)
try(torch.linalg.matmul, torch.ones(2, 2), torch.ones(2, 2))
local t = torch.arange(6):reshape(2, 3)
t:swapaxes_(0, 1)
print(t)
-- memory formats
print(torch.contiguous_format, torch.preserve_format, torch.channels_last)
local image = torch.zeros(2, 3, 4, 5)
local channels = {memory_format = torch.channels_last}
local function strides(t) print(table.concat(t:stride(), " ")) end
strides(image:to(torch.float64, channels))
strides(image:to(channels))
strides(image:half(channels))
strides(image:clone(channels))
strides(image:to(channels):contiguous())
strides(image:to(channels):contiguous(channels))
strides(image:long{memory_format = torch.contiguous_format})
try(image.float, image, {memory_format = "channels_last"})
try(torch.ones(2, 3).to, torch.ones(2, 3), channels)
-- in place: shapes are looked at first
try(function() return torch.ones(1):addmm_(torch.ones(2, 3), torch.ones(3, 3)) end)
try(function() return torch.ones(1):addmv_(torch.ones(2, 3), torch.ones(3)) end)
try(function() return torch.ones(1, 1, 1):baddbmm_(torch.ones(2, 2, 3), torch.ones(2, 3, 2)) end)
-- gradients at nan and infinities, of as many elements as fill a vector
for _, f in ipairs{F.elu, F.celu, F.selu, F.hardswish, F.softshrink, F.hardshrink, F.hardtanh, F.relu6, F.relu, F.leaky_relu, torch.logit} do
  local x = torch.tensor{nan, inf, -inf, 0., 0.5, -0.5, 3., -3.}:rep(8):requires_grad_()
  f(x):sum():backward()
  print(x.grad[":8"])
end
for _, f in ipairs{F.elu_, F.celu_, F.selu_} do   -- in place
  local x = torch.tensor{nan, inf, -inf, 0., 0.5, -0.5, 3., -3.}:rep(8):requires_grad_()
  f(x:clone()):sum():backward()
  print(x.grad[":8"])
end
