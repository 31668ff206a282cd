-- numeric.lua: functions whose arguments are numbers or lists of numbers or of tensors: torch.gradient, histogram, histogramdd,
-- vander, unravel_index and broadcast_shapes. They consist of operators. Also torch.imag, as there are no complex tensors yet.
local torch = ...
local numeric = {}

local function fail(kind, text, ...) torch._raise(kind, text:format(...)) end

-- --- gradient -----------------------------------------------------------------------------------------------

local function positions(x, dim, first, last)   -- from first to last; negative ones count from the end
  local n = x:size(dim)
  if first < 0 then first = n + first end
  if last < 0 then last = n + last end
  return x:narrow(dim, first, last - first + 1)
end

-- Returns the weighted sum of three neighbours. The weights are numbers, or tensors along dim.
local function weighted(x, dim, first, weights)
  local sum
  local n = weights.count
  for k = 0, 2 do
    local w = weights[k + 1]
    if torch.is_tensor(w) and w:dim() == 1 then
      local shape = {}
      for d = 1, x:dim() do shape[d] = d - 1 == dim and w:numel() or 1 end
      w = w:reshape(shape)
    end
    local term = x:narrow(dim, first + k, n) * w
    sum = sum and sum + term or term
  end
  return sum
end

-- Returns the differences for coordinates with the even distance dx.
local function even_differences(x, dim, dx, order)
  local n = x:size(dim)
  local center = (positions(x, dim, 2, -1) - positions(x, dim, 0, -3)) / (2 * dx)
  if order == 1 then
    return (positions(x, dim, 1, 1) - positions(x, dim, 0, 0)) / dx, center, (positions(x, dim, -1, -1) - positions(x, dim, -2, -2)) / dx
  end
  return weighted(x, dim, 0, {-1.5 / dx, 2 / dx, -0.5 / dx, count = 1}), center,
    weighted(x, dim, n - 3, {0.5 / dx, -2 / dx, 1.5 / dx, count = 1})
end

-- Returns the differences for uneven coordinates.
local function uneven_differences(x, dim, coordinates, order)
  local steps, n = coordinates:diff(), x:size(dim)
  local a, b = positions(steps, 0, 0, -2), positions(steps, 0, 1, -1)
  local center = weighted(x, dim, 0, {-b / (a * (a + b)), (b - a) / (a * b), a / (b * (a + b)), count = n - 2})
  if order == 1 then
    return (positions(x, dim, 1, 1) - positions(x, dim, 0, 0)) / steps[0], center,
      (positions(x, dim, -1, -1) - positions(x, dim, -2, -2)) / steps[-1]
  end
  local p, q, r, s = steps[0], steps[1], steps[-2], steps[-1]
  return weighted(x, dim, 0, {-(2 * p + q) / (p * (p + q)), (p + q) / (p * q), -p / (q * (p + q)), count = 1}), center,
    weighted(x, dim, n - 3, {s / (r * (r + s)), -(r + s) / (r * s), (2 * s + r) / (s * (r + s)), count = 1})
end

-- Returns dims as a list from 0.
local function read_dims(x, dim)
  local dims, seen = {}, {}
  if dim == nil then
    for d = 1, x:dim() do dims[d] = d - 1 end
    return dims
  end
  for i, d in ipairs(type(dim) == "table" and dim or {dim}) do
    if d < -x:dim() or d >= x:dim() then
      fail("IndexError", "Dimension out of range (expected to be in range of [%d, %d], but got %d)", -x:dim(), x:dim() - 1, d)
    end
    dims[i] = d % x:dim()
    if seen[dims[i]] then fail("RuntimeError", "dim %d appears multiple times in the list of dims", dims[i]) end
    seen[dims[i]] = true
  end
  return dims
end

local function check_gradient(x, spacing, dim, dims, order)
  local list = type(spacing) == "table"
  if list and dim == nil and #spacing ~= x:dim() then
    fail("RuntimeError", "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = %d', since dim " ..
      "argument was not given, but got a list of length %d",
      x:dim(), #spacing)
  end
  if list and #spacing ~= #dims then
    fail("RuntimeError", "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the same length, " ..
      "but got a spacing argument of length %d and a dim argument of length %d.",
      #spacing, #dims)
  end
  if x.dtype == torch.uint8 then torch._raise("NotImplementedError", "torch.gradient does not support uint8 input.") end
  if order ~= 1 and order ~= 2 then torch._raise("RuntimeError", "torch.gradient only supports edge_order=1 and edge_order=2.") end
  for _, d in ipairs(dims) do
    if x:size(d) < order + 1 then
      torch._raise("RuntimeError", "torch.gradient expected each dimension size to be at least edge_order+1")
    end
  end
  for _, c in ipairs(list and spacing or {}) do
    if torch.is_tensor(c) and c:dim() ~= 1 then
      fail("RuntimeError", "torch.gradient expected each element of spacing to have one dimension, but got an element with %d dimensions!", c:dim())
    end
  end
end

local function gradient(x, spacing, dim, order)
  local dims = read_dims(x, dim)
  check_gradient(x, spacing, dim, dims, order)
  local out = {}
  for i, d in ipairs(dims) do
    local step = type(spacing) == "table" and spacing[i] or spacing
    local differences = torch.is_tensor(step) and step:dim() == 1 and uneven_differences or even_differences
    out[i] = torch.cat({differences(x, d, step, order)}, d)
  end
  return out
end
numeric.gradient = torch._define("gradient(Tensor input, *, spacing=1, dim?, edge_order=1)", gradient)

-- --- histograms ---------------------------------------------------------------------------------------------

-- Returns the edges of n bins from low to high (if nil: the data's range).
local function even_edges(x, n, d, low, high)
  if n <= 0 then fail("RuntimeError", "torch.histogram(): bins must be > 0, but got %d for dimension %d", n, d) end
  if low == nil then
    low, high = 0, 1
    if x:numel() > 0 then low, high = x:min():item(), x:max():item() end
  end
  if low - low ~= 0 or high - high ~= 0 then fail("RuntimeError", "torch.histogramdd: dimension %d's range [%g, %g] is not finite", d, low, high) end
  if low > high then fail("RuntimeError", "torch.histogramdd: min should not exceed max, but got min %g max %g for dimension %d", low, high, d) end
  if low == high then low, high = low - 0.5, high + 0.5 end
  return torch.linspace(low, high, n + 1, {dtype = x.dtype, device = x.device})
end

local cpp_names = {float64 = "double", float32 = "float", int64 = "long int", int32 = "int", float16 = "c10::Half", bfloat16 = "c10::BFloat16"}
local function cpp_name(x)
  local name = tostring(x.dtype):gsub("^torch%.", "")
  return cpp_names[name] or name
end

local function check_edges(x, edges, d)
  if edges:dim() ~= 1 then
    fail("RuntimeError", "torch.histogramdd: bins tensor should have one dimension, but got %d dimensions in the bins tensor for dimension %d", edges:dim(), d)
  end
  if edges:numel() == 0 then
    fail("RuntimeError", "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for dimension %d", d)
  end
  if edges.dtype ~= x.dtype then
    fail("RuntimeError", "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype %s and bins for " ..
      "dimension %d with dtype %s",
      cpp_name(x), d, cpp_name(edges))
  end
end

local function shape_text(shape)
  local out = {}
  for i = 1, #shape do out[i] = ("%d"):format(shape[i]) end
  return "[" .. table.concat(out, ", ") .. "]"
end

-- Fails if the weights do not fit the points, or if the points' dtype is not supported. ranged: the edges do not come from the
-- data.
local function check_points(x, weight, ranged)
  if weight then
    if weight.dtype ~= x.dtype then
      fail("RuntimeError", "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but got " ..
        "input(%s), and weight(%s)",
        cpp_name(x), cpp_name(weight))
    end
    local same = weight:dim() == x:dim() - 1
    for d = 0, weight:dim() - 1 do same = same and weight:size(d) == x:size(d) end
    if not same then
      fail("RuntimeError", "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding its " ..
        "innermost dimension, but got input with shape %s and weight with shape %s",
        shape_text(x.shape), shape_text(weight.shape))
    end
  end
  if x.dtype == torch.float32 or x.dtype == torch.float64 or ranged and x:is_floating_point() then return end
  local kinds = {float16 = "Half", bfloat16 = "BFloat16", int64 = "Long", int32 = "Int", int16 = "Short", int8 = "Char", uint8 = "Byte", bool = "Bool"}
  fail("NotImplementedError", "\"%s\" not implemented for '%s'", ranged and "histogram_cpu" or "histogramdd",
    kinds[(tostring(x.dtype):gsub("^torch%.", ""))])
end

-- Counts the rows of x in each cell of the grid that the edges define.
local function count(x, edges, weight, density)
  local rows = x:reshape{-1, x:size(-1)}
  local inside = torch.ones(rows:size(0), {dtype = torch.bool, device = x.device})
  local cell, cells, shape = torch.zeros(rows:size(0), {dtype = torch.int64, device = x.device}), 1, {}
  for d, e in ipairs(edges) do
    local column, bins = rows:select(1, d - 1):contiguous(), e:numel() - 1
    local at = torch.searchsorted(e, column, {right = true}) - 1
    at = torch.where(column:eq(e[-1]), bins - 1, at)
    inside = inside:logical_and(at:ge(0)):logical_and(at:lt(bins))
    cell, cells, shape[d] = cell * bins + at, cells * bins, bins
  end
  local weights = weight and weight:reshape(-1):masked_select(inside) or nil
  local out = torch.bincount(cell:masked_select(inside), {weights = weights, minlength = cells}):to(x.dtype):reshape(shape)
  if not density then return out end
  out = out / out:sum()
  for d, e in ipairs(edges) do
    local widths = {}
    for k = 1, #edges do widths[k] = k == d and e:numel() - 1 or 1 end
    out = out / e:diff():reshape(widths)
  end
  return out
end

local function histogramdd(x, bins, range, weight, density)
  if x:dim() < 2 then torch._raise("RuntimeError", "torch.histogramdd: input tensor should have at least 2 dimensions") end
  local n, edges = x:size(-1), {}
  if type(bins) == "number" then
    local each = bins
    bins = {}
    for d = 1, n do bins[d] = each end
  end
  if #bins ~= n then
    if torch.is_tensor(bins[1]) then
      fail("RuntimeError", "torch.histogramdd: expected %d sequences of bin edges for a %d-dimensional histogram but got %d", n, n, #bins)
    end
    torch._raise("RuntimeError", "histogramdd: The size of bins must be equal to the innermost dimension of the input.")
  end
  if range and #range ~= 2 * n then
    fail("RuntimeError", "torch.histogramdd: for a %d-dimensional histogram range should have %d elements, but got %d", n, 2 * n, #range)
  end
  x = x:detach()
  weight = weight and weight:detach()
  local ranged = range ~= nil or torch.is_tensor(bins[1])
  if not ranged then check_points(x, weight, ranged) end
  for d, b in ipairs(bins) do
    if torch.is_tensor(b) then check_edges(x, b, d - 1) end
    edges[d] = torch.is_tensor(b) and b or
      even_edges(x:select(-1, d - 1), b, d - 1, range and range[2 * d - 1], range and range[2 * d])
  end
  check_points(x, weight, ranged)
  return count(x, edges, weight, density), edges
end
numeric.histogramdd = torch._define("histogramdd(Tensor input, bins, range?, weight?, density=false)", histogramdd)

local function histogram(x, bins, range, weight, density)
  local column = x:reshape{-1, 1}
  if weight and weight:dim() == x:dim() and weight:numel() == x:numel() then weight = weight:reshape(-1) end
  local hist, edges = histogramdd(column, {bins}, range, weight, density)
  return hist, edges[1]
end
numeric.histogram = torch._define("histogram(Tensor input, bins, *, range?, weight?, density=false)", histogram)
numeric.histogram_of = torch._define("Tensor.histogram(bins, *, range?, weight?, density=false)")
numeric.histogram_of_tensor = function(self, ...)
  local a = numeric.histogram_of(...)
  return histogram(self, a.bins, a.range, a.weight, a.density)
end

-- --- shapes -------------------------------------------------------------------------------------------------

local function tuple_text(shape) return "(" .. table.concat(shape, ", ") .. (#shape == 1 and ",)" or ")") end

local function unravel_index(indices, shape)
  if indices.dtype.is_floating_point or indices.dtype == torch.bool then
    fail("TypeError", "expected 'indices' to be integer dtype, but got %s", indices.dtype)
  end
  if torch.is_tensor(shape) then torch._raise("TypeError", "expected 'shape' to be int or sequence of ints, but got <class 'torch.Tensor'>") end
  if type(shape) == "number" then shape = {shape} end
  local zero, negative
  for i = 1, #shape do
    local n = shape[i]
    if math.type(n) ~= "integer" then
      fail("TypeError", "expected 'shape' sequence to only contain ints, but got %s", torch.is_tensor(n) and "<class 'torch.Tensor'>" or "<class 'float'>")
    end
    zero, negative = zero or n == 0, negative or n < 0
  end
  if negative then fail("ValueError", "'shape' cannot have negative values, but got %s", tuple_text(shape)) end
  if zero and indices:numel() > 0 then
    fail("ValueError", "'shape' cannot have zero dimensions when 'indices' is non-empty, but got %s", tuple_text(shape))
  end
  if #shape == 0 then return {} end
  local steps = {[#shape] = 1}
  for i = #shape - 1, 1, -1 do steps[i] = steps[i + 1] * shape[i + 1] end
  local like = {dtype = torch.int64, device = indices.device}
  local places = indices:unsqueeze(-1):floor_divide(torch.tensor(steps, like)) % torch.tensor(shape, like)
  return places:unbind(-1)
end
numeric.unravel_index = torch._define("unravel_index(Tensor indices, shape)", unravel_index)

numeric.vander = torch._define("vander(Tensor x, int? N, bool increasing=false)", function(x, N, increasing)
  if x:dim() ~= 1 then fail("RuntimeError", "x must be a one-dimensional tensor.") end
  N = N or x:numel()
  if x.dtype == torch.bool then x = x:long() end
  if N < 0 then fail("RuntimeError", "N must be non-negative.") end
  if N == 0 then return torch.empty({x:numel(), 0}, {dtype = torch.result_type(x, 1), device = x.device}) end
  local powers = N == 1 and (x ^ 0):unsqueeze(1) or torch.linalg.vander(x, {N = N})
  return increasing and powers or powers:flip(1)
end)

numeric.imag = torch._define("imag(Tensor input)", function()
  torch._raise("TypeError", "imag is not implemented for tensors with non-complex dtypes.")
end)

function numeric.broadcast_shapes(...)
  local shapes, length = {...}, 0
  for i, s in ipairs(shapes) do
    shapes[i] = type(s) == "number" and {s} or s
    length = math.max(length, #shapes[i])
  end
  local out = {}
  for d = 1, length do out[d] = 1 end
  for i, s in ipairs(shapes) do
    for back = 1, #s do
      local n, at = s[#s + 1 - back], length + 1 - back
      if n < 0 then torch._raise("ValueError", "Attempting to broadcast a dimension with negative length!") end
      if n ~= 1 and out[at] == 1 then out[at] = n end
      if n ~= 1 and out[at] ~= n then
        fail("RuntimeError", "Attempting to broadcast a dimension of length %d at -%d! Mismatching argument at index %d had %s; but expected shape " ..
          "should be broadcastable to [%s]",
          n, back, i - 1, tuple_text(s), table.concat(out, ", "))
      end
    end
  end
  return torch.empty(out, {device = "meta"}).shape
end

return numeric
