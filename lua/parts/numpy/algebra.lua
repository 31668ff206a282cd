-- numpy/algebra.lua: numpy's linear algebra, statistics of several variables, and functions of logic, as layers over functions
-- of tensors. Loaded when one of them is first called.
local torch = ...
local np, define = torch.numpy, torch._define
local fail = torch._part("support").fail
local wrap = np._wrap

local algebra = {}

local function tensor_of(value) return np.asarray(value).tensor end
local function floating(value)
  local tensor = tensor_of(value)
  return tensor.dtype.is_floating_point and tensor or tensor:to(torch.float64)
end
local function result(tensor) return tensor.ndim == 0 and tensor:item() or wrap(tensor) end

-- Returns several values, with the tensors among them as arrays or numbers.
local function results(...)
  local list = table.pack(...)
  for i = 1, list.n do
    if torch.is_tensor(list[i]) then list[i] = result(list[i]) end
  end
  return table.unpack(list, 1, list.n)
end

-- --- np.linalg ------------------------------------------------------------------------------------------------

local linalg = {}
for _, name in ipairs{"inv", "det", "cholesky", "eigh", "eigvalsh", "qr", "pinv", "matrix_rank", "svdvals", "slogdet", "cond"} do
  linalg[name] = function(a, ...) return results(torch.linalg[name](floating(a), ...)) end
end
function linalg.solve(a, b) return result(torch.linalg.solve(floating(a), floating(b))) end
function linalg.matrix_power(a, n) return result(torch.linalg.matrix_power(tensor_of(a), n)) end
local read_norm = define "norm(x, ord?, axis?, keepdims=false)"
function linalg.norm(...)
  local a = read_norm(...)
  return result(torch.linalg.norm(floating(a.x), a.ord, a.axis, a.keepdims))
end
local read_svd = define "svd(a, full_matrices=true, compute_uv=true)"
function linalg.svd(...)
  local a = read_svd(...)
  if not a.compute_uv then return result(torch.linalg.svdvals(floating(a.a))) end
  return results(torch.linalg.svd(floating(a.a), {full_matrices = a.full_matrices}))
end
--- Returns the solution, residuals, rank and singular values.
function linalg.lstsq(a, b)
  local x, y = floating(a), floating(b)
  local column = y.ndim == 1
  local solution, residuals, rank, values = torch.linalg.lstsq(x, column and y:unsqueeze(1) or y, {driver = "gelsd"})
  return result(column and solution:squeeze(1) or solution), wrap(residuals), rank:item(), wrap(values)
end
algebra.linalg = torch._namespace(linalg, "numpy.linalg")

-- --- products, statistics -------------------------------------------------------------------------------------

function algebra.einsum(equation, ...)
  local operands = table.pack(...)
  for i = 1, operands.n do operands[i] = tensor_of(operands[i]) end
  return result(torch.einsum(equation, table.unpack(operands)))
end
local read_cov = define "cov(m, rowvar=true, ddof=1)"
function algebra.cov(...)
  local a = read_cov(...)
  local m = floating(a.m)
  return result(torch.cov(a.rowvar and m or m.T, {correction = a.ddof}))
end
local read_corrcoef = define "corrcoef(x, y?, rowvar=true)"
function algebra.corrcoef(...)
  local a = read_corrcoef(...)
  local x = floating(a.x)
  if not a.rowvar then x = x.T end
  if a.y then x = torch.vstack{x, floating(a.y)} end
  return result(torch.corrcoef(x))
end
--- Returns the counts, and the edges of the bins.
local read_histogram = define "histogram(a, bins=10)"
function algebra.histogram(...)
  local a = read_histogram(...)
  local edges = type(a.bins) ~= "number" and floating(a.bins) or nil
  local counts, of = torch.histogram(floating(a.a):reshape(-1):double(), edges and edges:double() or a.bins)
  return wrap(counts:long()), wrap(of)
end

-- --- polynomials, interpolation -------------------------------------------------------------------------------

--- Returns the coefficients of the best fit, highest power first.
function algebra.polyfit(x, y, degree)
  local powers = torch.vander(floating(x):double(), degree + 1)
  local solution = torch.linalg.lstsq(powers, floating(y):double():unsqueeze(1), {driver = "gelsd"})
  return wrap(solution:squeeze(1))
end
function algebra.polyval(p, x)
  local value = np.zeros_like(np.asarray(x)) * 1.0
  for _, coefficient in ipairs(tensor_of(p):tolist()) do value = value * np.asarray(x) + coefficient end
  return value
end
--- Returns the values of straight lines between the points (xp, fp), constant beyond them.
function algebra.interp(x, xp, fp)
  local at, from, values = floating(x):double(), floating(xp):double(), floating(fp):double()
  if from:numel() == 0 then fail("ValueError", "array of sample points is empty") end
  local last = from:numel() - 1
  local high = torch.searchsorted(from, at, {right = true}):clamp(1, math.max(last, 1)):clamp(0, last)
  local low = (high - 1):clamp(0)
  local share = ((at - from[low]) / (from[high] - from[low])):nan_to_num(0):clamp(0, 1)
  return result(values[low] + share * (values[high] - values[low]))
end

-- --- logic ----------------------------------------------------------------------------------------------------

for _, name in ipairs{"logical_and", "logical_or", "logical_xor"} do
  algebra[name] = function(a, b) return result(torch[name](tensor_of(a), tensor_of(b))) end
end
function algebra.logical_not(a) return result(torch.logical_not(tensor_of(a))) end
function algebra.isin(a, values) return result(torch.isin(tensor_of(a), tensor_of(values))) end

return algebra
