-- cpu only: prints the strides of the CPU's LAPACK
-- digits: strides of results and of out=, powers of 16 bits, refusals, NaN in what is factored, gradients of clamp.
local torch = require "torch"
local F = torch.nn.functional
local function strides(t)
  local list = {}
  for i, v in ipairs(t:stride()) do list[i] = v end
  return "(" .. table.concat(list, ", ") .. ")"
end
local function try(name, f)
  local ok, e = pcall(f)
  print(name, ok and "fine" or (tostring(e):gsub("\n.*", "")))
end
local A = torch.eye(3, {dtype = torch.float64}) * 2
local batch = torch.stack {A, A}
-- out= is row-major whatever the result is
do
  local o = torch.empty(0, {dtype = torch.float64})
  torch.cholesky_solve(torch.ones(3, 5, {dtype = torch.float64}), A, {out = o})
  print(strides(o))
  for _, n in ipairs {-1, 0, 2, 3} do
    o = torch.empty(0, {dtype = torch.float64})
    torch.linalg.matrix_power(batch, n, {out = o})
    print(n, strides(o), strides(torch.linalg.matrix_power(batch, n)))
  end
  o = torch.empty(0, {dtype = torch.float64})
  local cube = torch.eye(6, {dtype = torch.float64}):reshape(6, 2, 3)
  torch.linalg.tensorinv(cube, 1, {out = o})
  print(strides(o), strides(torch.linalg.tensorinv(cube, 1)))
end
-- columns, as LAPACK leaves them
do
  local b = torch.arange(6, {dtype = torch.float64}):reshape(2, 3)
  print(strides(torch.linalg.solve(batch, b)), strides(torch.linalg.solve(batch, b:unsqueeze(-1))))
  local tall = torch.eye(4, 3, {dtype = torch.float64})
  local solution = torch.linalg.lstsq(tall, torch.ones(4, 2, {dtype = torch.float64}), {driver = "gels"})
  print(strides(solution), solution)
end
-- to a format that it has, or that is none of its own
do
  local x = torch.arange(24.0):reshape(1, 2, 3, 4)
  for _, t in ipairs {x, x:transpose(2, 3), x[":, :, ::2"], x:to {memory_format = torch.channels_last}} do
    for _, format in ipairs {torch.contiguous_format, torch.channels_last, torch.preserve_format} do
      print(format, strides(t:float {memory_format = format}), strides(t:double {memory_format = format}))
    end
  end
end
-- powers of bfloat16 are rounded after every step, those of float16 once; cross entropy always after every step
torch.manual_seed(0)
local x, y = torch.rand(19) * 0.9 + 0.05, torch.rand(19)
for _, dtype in ipairs {torch.bfloat16, torch.float16} do
  local t, s = x:to(dtype), y:to(dtype)
  for _, n in ipairs {3, -2, 2, -1, 0.5, 1.5} do print(dtype, n, (t * 3):pow(n)) end
  print(F.binary_cross_entropy(t, s, {reduction = "none"}), F.binary_cross_entropy(t, s))
  print(F.binary_cross_entropy(t, s, {weight = s, reduction = "none"}))
end
-- one number is one sum: dot
do
  local t = torch.ones(2, 2, {dtype = torch.bool})
  for _, dims in ipairs {{{1, 0}, {1, 0}}, {{1}, {0}}} do try("tensordot", function() torch.tensordot(t, t, {dims = dims}) end) end
  torch.manual_seed(1)
  local a, b = torch.randn(2, 3):half(), torch.randn(3, 2):half()
  print(torch.tensordot(a, b, {dims = {{0, 1}, {1, 0}}}))
end
-- of no dimensions
for _, v in ipairs {-2.0, 3.0} do
  torch.manual_seed(2)
  print(F.rrelu(torch.tensor(v), {training = true}))
end
-- refusals
do
  local t, m = torch.ones(3, 4), torch.empty(8)
  try("aminmax", function() torch.aminmax(t, {dim = 0, out = {m["0:4"], m["2:6"]}}) end)
  try("aminmax", function() torch.aminmax(t, {dim = 0, out = {m["0:4"], m["4:8"]}}) end)
  try("aminmax", function() torch.aminmax(t, {out = {m, m}}) end)
  for _, dim in ipairs {3, -3, 1} do try("narrow_copy", function() torch.narrow_copy(t, dim, 0, 1) end) end
  for _, k in ipairs {2147483647, 2147483648, 2147483697} do
    try("max_pool1d", function()
      F.max_pool1d(torch.ones(2, 10, 4), {kernel_size = k, stride = k, padding = 0, dilation = k, ceil_mode = true})
    end)
  end
  local windows = torch.signal.windows
  try("hann", function() windows.hann(3, {layout = torch.sparse_coo, dtype = torch.int64}) end)
  try("gaussian", function() windows.gaussian(-1, {layout = torch.sparse_coo}) end)
  try("weights", function() torch.cov(t, {aweights = torch.tensor {1.0, 1.0, -1.0, 1.0}}) end)
end
-- NaN in what is factored
do
  local nan = 0 / 0
  for _, t in ipairs {torch.tensor {{1.0, 2.0}, {2.0, nan}}, torch.tensor({{nan, 2.0}, {2.0, 1.0}}, {dtype = torch.float64}), torch.tensor {{nan}}} do
    for _, name in ipairs {"cholesky", "svd", "inv", "det"} do try(name, function() torch.linalg[name](t) end) end
    try("cholesky", function() torch.linalg.cholesky(torch.stack {torch.eye(t.shape[0], {dtype = t.dtype}), t}) end)
    print(torch.linalg.slogdet(t))
  end
end
-- Gradients of clamp where bounds are met, equal or crossed
for _, dtype in ipairs {torch.float32, torch.bfloat16} do
  local x = torch.tensor({1, 3, 1, 2, 2, 3, 2, 1, 5, 1, 2, 5, 0, 2, 2}, {dtype = dtype})
  x[12] = 0 / 0
  local low = torch.tensor({1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 1, 1, 1, 0, 1}, {dtype = dtype})
  low[13] = 0 / 0
  local high = torch.tensor({1, 3, 3, 2, 3, 2, 1, 1, 3, 3, 3, 3, 3, 3, 3}, {dtype = dtype})
  for _, t in ipairs {x, low, high} do t.requires_grad = true end
  local y = torch.clamp(x, low, high)
  local g = torch.autograd.grad(y:nan_to_num():pow(2):sum(), x, {create_graph = true, retain_graph = true})
  y:backward(torch.arange(1, 16):to(dtype))
  print(x.grad, low.grad, high.grad, g:detach())
end
-- rrelu's result is row-major; an empty batch of reflections
do
  local t = torch.arange(60.0):reshape(2, 6, 5):permute(2, 1, 0):detach():requires_grad_()
  local y = F.rrelu(t, {training = true})
  y:sum():backward()
  print(strides(y), y.grad_fn ~= nil, t.grad:sum())
  local a, tau, c = torch.zeros(0, 5, 5):requires_grad_(), torch.zeros(0, 5):requires_grad_(), torch.zeros(0, 5, 5):requires_grad_()
  torch.ormqr(a, tau, c):sum():backward()
  print(a.grad, tau.grad, c.grad)
end
