-- Signatures and edges: var_mean, aminmax, norms by name, nonzero, as_strided_, histc, layouts of factories.
local torch = require "torch"
local T, nan, inf = torch.tensor, 0 / 0, math.huge
local function try(f, ...)
  local results = table.pack(pcall(f, ...))
  if not results[1] then print((tostring(results[2]):match "[^\n]*")) return end
  if type(results[2]) == "table" and not torch.is_tensor(results[2]) then results = table.pack(true, table.unpack(results[2])) end
  print(table.unpack(results, 2, results.n))
end
-- var_mean and std_mean with unbiased
local m = T{{1., 2., 3.}, {0., 2., 9.}}
try(torch.var_mean, T{1., 2., 4.}, false)
try(torch.std_mean, m, {dim = 0, unbiased = false, keepdim = true})
try(torch.var_mean, m, 0, false, true)
try(torch.var_mean, m, {unbiased = false})
try(torch.std_mean, m, true, 1)
try(torch.var_mean, m:long(), false)
-- aminmax without elements
try(torch.aminmax, torch.zeros(0, 5), {dim = 1})
try(torch.aminmax, torch.zeros(0, 5), {dim = 0})
try(torch.aminmax, torch.zeros(0, 5))
try(torch.aminmax, torch.zeros(2, 0), {dim = 1, keepdim = true})
try(torch.aminmax, T(2.), {dim = 0})
try(torch.aminmax, T(2.), {dim = 1})
-- sum_to_size of no dimensions
for _, x in ipairs{torch.ones(2, 1), torch.ones{}, torch.ones(1)} do
  for _, dtype in ipairs{torch.bool, torch.int32, torch.float16} do
    print(x:to(dtype):sum_to_size({}).dtype)
  end
end
print(torch.ones(1):int():sum_to_size(1).dtype)
-- how many are not zero has no gradient
for _, f in ipairs{function(x) return torch.norm(x, 0) end, function(x) return torch.linalg.norm(x, 0, 0) end,
    function(x) return torch.linalg.vector_norm(x, 0, {keepdim = true}) end} do
  local a = T({{1., 2.}}, {requires_grad = true})
  local r = f(a)
  print(r.requires_grad)
  r:sum():backward()
  print(a.grad)
  r = f(a) * a:sum()
  r:sum():backward()
  print(a.grad)
end
-- norms by name, and what a norm of matrices asks
local n, x = torch.linalg.norm, T{{1., 2., 3.}, {4., 5., 6.}}
try(n, x, "fro")
try(n, x, "bad")
try(n, x[0], "fro")
try(n, x[0], "nuc")
try(n, x, "fro", 0)
try(n, x, "fro", {0, 1}, true)
try(n, x:long(), "fro")
try(n, torch.ones(2, 3, 4), "fro")
try(n, torch.ones(2, 3, 4), "fro", {0, 2})
try(n, x, "fro", {dtype = torch.float64})
try(n, x:half(), "nuc")
try(n, x, "fro", {0, 0})
try(n, x, "fro", {0, 3})
try(n, x, 3)
try(n, x, 0)
try(n, x:half(), 2)
try(n, x:half(), 1)
try(n, x:long(), 1)
try(n, x, 1, {0, 0})
try(n, torch.ones(2, 2, 2), 1)
try(n, torch.ones(2, 2, 2), 1, {0, 1, 2})
for _, shape in ipairs{{0, 3}, {3, 0}} do
  for _, ord in ipairs{1, -1, inf} do try(n, torch.ones(shape), ord) end
end
n = torch.norm
try(n, x[0], "nuc")
try(n, x:long(), "nuc")
try(n, x:half(), "nuc")
try(n, torch.ones(2, 2, 2), "nuc", 0)
try(n, torch.ones(2, 2, 2), "fro", 0)
try(n, torch.ones(2, 2, 2), "fro", {0, 1, 2})
try(n, x, "inf")
-- nonzero
local long = torch.int64
try(torch.nonzero, T{0, 1, 2}, {as_tuple = false})
try(torch.nonzero, T{0, 1, 2}, {as_tuple = false, out = torch.empty({0}, {dtype = long})})
try(torch.nonzero, T{0, 1, 2}, {as_tuple = true, out = torch.empty({0}, {dtype = long})})
try(torch.nonzero, T{0, 1, 2}, {as_tuple = 1})
try(x.nonzero, x, {bogus = 1})
try(torch.nonzero, T{0, 1, 2}, {out = torch.empty({0}, {dtype = torch.int32})})
-- as_strided_
local a = torch.arange(6.)
print(a:as_strided_({2, 2}, {1, 2}))
print(torch.as_strided_(a, {2}, {1}, 3), a)
local part = torch.arange(6.)["2:"]
part:as_strided_({2}, {1})
print(part, part:storage_offset())
part:as_strided_({2}, {2}, 0)
print(part)
try(part.as_strided_, part, {7}, {1})
local leaf = T({1., 2., 3.}, {requires_grad = true})
try(leaf.as_strided_, leaf, {2}, {1}, 1)
local y = leaf:clone()
y:as_strided_({2}, {1}, 1)
print(y.requires_grad)
y:sum():backward()
print(leaf.grad)
local z = leaf * 2
local w = z["1:"]
w:as_strided_({2}, {1}, 0)
w:sum():backward()
print(w, leaf.grad)
-- in place, gradients read what stood there
local p = T({0.5, 1.5}, {requires_grad = true})
y = p:clone()
y:polygamma_(2)
y:sum():backward()
print(y, p.grad)
y = p:double()
y:float_power_(p)
y:sum():backward()
print(y, p.grad)
-- bounds that are tensors
local l = torch.linspace
try(l, T(0.), T(5.), 5)
try(l, T{0.}, T(5.), 5)
try(l, T{0.}, 5, 5)
try(l, 0, T{{5.}}, 5)
try(l, T(0., {requires_grad = true}), T(5.), 3)
try(l, T(4.3), T(-3.), 8, {dtype = torch.int32})
try(torch.logspace, T(0.), T(2.), 3)
try(torch.logspace, T{0.}, 2, 3)
try(torch.logspace, 0., T(2), 3, {base = 3})
-- diff of order 0 takes neither prepend nor append
print(torch.diff(T{1, 3}, 0, 0, T{7}, T{8}))
-- histc: multiplied, then divided, as exact as the elements
print(torch.histc(T{0.3, 0.1, 0.29}, 2, 0.1, 0.3))
print(torch.histc(T({0., 5e-06, 1e-05, 1.2e-05}, {dtype = torch.float64}), 1000, 0, 1e-05)["495:505"])
print(torch.histc(torch.arange(0, 31):float() / 10, 30, 0, 3))
try(torch.histc, x, 2, 0.3, 0.1)
try(torch.histc, x:bool())
try(torch.histc, x:int())
-- copysign at infinities
for _, other in ipairs{1., -1.} do
  local c = T({inf, -inf, 0., 2., nan}, {requires_grad = true})
  torch.copysign(c, torch.full({5}, other)):sum():backward()
  print(c.grad)
  c.grad = nil
  torch.copysign(c, other):sum():backward()
  print(c.grad)
end
-- words
try(torch.nn.functional.bilinear, torch.ones(2, 3):bool(), torch.ones(2, 3):bool(), torch.ones(4, 3, 3):bool())
try(torch.nn.functional.alpha_dropout, torch.ones(2):bool(), 0.5, true)
try(torch.nn.functional.alpha_dropout, torch.ones(2):int(), 0.5, true)
try(torch.scatter_add, torch.ones(2), 0, T{0, 1}, torch.ones(2):double())
for _, weights in ipairs{{1., -1.}, {1., nan}, {1., inf}, {0., 0.}} do
  for _, replacement in ipairs{true, false} do
    try(torch.multinomial, T(weights), 2, replacement)
    try(torch.multinomial, T(weights), 1, replacement)
  end
end
local none = torch.zeros(0)
try(torch.cat, {none, torch.ones(2, 2)}, {out = none})
-- layout, pin_memory, memory_format
local strided = torch.strided
try(torch.zeros, 2, {layout = "x"})
try(torch.zeros, 2, {layout = strided})
try(torch.zeros, 2, {layout = strided, bogus = 1})
try(torch.zeros, 2, {pin_memory = 1})
try(torch.arange, 5, {layout = strided, pin_memory = false})
try(torch.full, {1}, 5, {layout = strided})
try(torch.eye, 2, {layout = strided, pin_memory = false})
try(torch.tril_indices, 2, 2, {layout = strided, pin_memory = false})
try(torch.zeros_like, torch.ones(2), {layout = strided})
try(torch.tensor, 2, {layout = strided})
torch.manual_seed(3)
try(torch.normal, 0., 1., {2, 2}, {layout = strided})
try(torch.rand, 2, {pin_memory = false})
try(torch.empty, 2, {memory_format = torch.channels_last})
try(torch.empty, 2, {memory_format = torch.preserve_format})
try(torch.zeros, 2, {memory_format = torch.contiguous_format})
try(torch.zeros_like, torch.ones(2, 3, 4), {memory_format = torch.channels_last})
try(torch.zeros_like, torch.ones(2, 2, 2, 2), {memory_format = "a"})
local function strides(t) print(table.concat(t:stride(), " ")) end
strides(torch.empty({2, 3, 4, 5}, {memory_format = torch.channels_last}))
local image = torch.ones(2, 3, 4, 5):permute(3, 2, 1, 0)
for _, format in ipairs{torch.preserve_format, torch.contiguous_format, torch.channels_last} do
  local f = {memory_format = format}
  strides(torch.zeros_like(image, f))
  strides(torch.empty_like(image, f))
  strides(torch.full_like(image, 2, f))
  strides(torch.rand_like(image, f))
  strides(torch.randint_like(image, 3, f))
end
