-- numpy/functions.lua: more of numpy's functions, as thin layers over functions of tensors. Loaded when one of them is first
-- called.
local torch = ...
local np, define = torch.numpy, torch._define
local fail = torch._part("support").fail
local wrap = np._wrap

local functions = {}

local function tensor_of(value) return np.asarray(value).tensor end
local function floating(tensor) return tensor.dtype.is_floating_point and tensor or tensor:to(torch.float64) end
local function result(tensor) return tensor.ndim == 0 and tensor:item() or wrap(tensor) end

local function arrays_of(tensors)
  local arrays = {}
  for i, tensor in ipairs(tensors) do arrays[i] = wrap(tensor) end
  return arrays
end

-- --- joining, cutting, repeating ------------------------------------------------------------------------------

function functions.column_stack(arrays)
  local columns = {}
  for i, array in ipairs(arrays) do
    local tensor = tensor_of(array)
    columns[i] = wrap(tensor.ndim < 2 and tensor:reshape(-1, 1) or tensor)
  end
  return np.concatenate(columns, 1)
end

--- np.c_[{a, b}] joins arrays as columns: Python's np.c_[a, b].
functions.c_ = setmetatable({}, {__index = function(_, arrays) return functions.column_stack(arrays) end})

--- Returns a table of the given number of arrays: np.meshgrid(x, y, {indexing = "ij"}).
function functions.meshgrid(...)
  local list, indexing = table.pack(...), "xy"
  local last = list[list.n]
  if type(last) == "table" and getmetatable(last) == nil and last.indexing then
    indexing, list.n = last.indexing, list.n - 1
  end
  local tensors = {}
  for i = 1, list.n do tensors[i] = tensor_of(list[i]):reshape(-1) end
  return arrays_of(torch.meshgrid(tensors, {indexing = indexing}))
end

local read_split = define "split(ary, indices_or_sections, axis=0)"
function functions.split(...)
  local a = read_split(...)
  local tensor, parts = tensor_of(a.ary), a.indices_or_sections
  if math.type(parts) == "integer" and tensor.shape[a.axis] % parts ~= 0 then
    fail("ValueError", "array split does not result in an equal division")
  end
  return arrays_of(tensor:tensor_split(parts, a.axis))
end

function functions.tile(array, reps)
  return wrap(tensor_of(array):tile(np._sizes_of(reps)))
end

local read_repeat = define "repeat(a, repeats, axis?)"
functions["repeat"] = function(...)
  local a = read_repeat(...)
  local tensor = tensor_of(a.a)
  local repeats = math.type(a.repeats) == "integer" and a.repeats or tensor_of(a.repeats)
  if a.axis == nil then tensor = tensor:reshape(-1) end
  return wrap(tensor:repeat_interleave(repeats, a.axis or 0))
end

local read_flip, read_roll = define "flip(m, axis?)", define "roll(a, shift, axis?)"
function functions.flip(...)
  local a = read_flip(...)
  local tensor, dims = tensor_of(a.m), a.axis
  if dims == nil then
    dims = {}
    for i = 0, tensor.ndim - 1 do dims[i + 1] = i end
  end
  return wrap(tensor:flip(dims))
end
function functions.roll(...)
  local a = read_roll(...)
  local tensor = tensor_of(a.a)
  return wrap(a.axis == nil and tensor:roll(a.shift) or tensor:roll(a.shift, a.axis))
end

for name, method in pairs{diag = "diag", triu = "triu", tril = "tril"} do
  functions[name] = function(array, k) return wrap(torch[method](tensor_of(array), k or 0)) end
end
function functions.swapaxes(array, first, second) return wrap(tensor_of(array):swapaxes(first, second)) end
function functions.moveaxis(array, source, destination) return wrap(tensor_of(array):moveaxis(source, destination)) end
function functions.atleast_1d(array)
  local tensor = tensor_of(array)
  return wrap(tensor.ndim == 0 and tensor:reshape(1) or tensor)
end
function functions.atleast_2d(array)
  local tensor = tensor_of(array)
  return wrap(tensor.ndim < 2 and tensor:reshape(1, -1) or tensor)
end

local read_full_like = define "full_like(a, fill_value, dtype?)"
function functions.full_like(...)
  local a = read_full_like(...)
  local dtype = np._read_dtype(a.dtype)
  return wrap(torch.full_like(tensor_of(a.a), a.fill_value, {dtype = dtype and dtype.torch or nil}))
end

local read_logspace = define "logspace(start, stop, num=50)"
function functions.logspace(...)
  local a = read_logspace(...)
  return 10 ^ np.linspace(a.start, a.stop, a.num)
end

-- --- order ------------------------------------------------------------------------------------------------------

local function along(name, compute)
  local read = define(name .. "(a, axis=-1)")
  functions[name] = function(...)
    local a = read(...)
    return wrap(compute(tensor_of(a.a), a.axis))
  end
end
along("sort", function(tensor, axis) return (tensor:sort{dim = axis, stable = true}) end)
along("argsort", function(tensor, axis) return tensor:argsort{dim = axis, stable = true} end)

local read_diff = define "diff(a, n=1, axis=-1)"
function functions.diff(...)
  local a = read_diff(...)
  return wrap(torch.diff(tensor_of(a.a), a.n, a.axis))
end

local read_unique = define "unique(ar, return_index=false, return_inverse=false, return_counts=false)"
--- Returns the values in order; then, if requested, the first position of each value, the number of the value for each element,
-- and the counts.
function functions.unique(...)
  local a = read_unique(...)
  local tensor = tensor_of(a.ar)
  local values, inverse, counts = torch.unique(tensor, {return_inverse = true, return_counts = true})
  local parts = {values}
  if a.return_index then
    local order = tensor:reshape(-1):argsort{dim = 0, stable = true}   -- equal elements keep their order, so the first is the first one
    parts[2] = order[counts:cumsum(0) - counts]
  end
  if a.return_inverse then parts[#parts + 1] = inverse end
  if a.return_counts then parts[#parts + 1] = counts end
  return table.unpack(arrays_of(parts))
end

--- Returns a table of the positions along each dimension.
function functions.nonzero(array) return arrays_of(tensor_of(array):nonzero{as_tuple = true}) end
function functions.argwhere(array) return wrap(tensor_of(array):nonzero()) end
function functions.count_nonzero(array) return tensor_of(array):count_nonzero():item() end
function functions.bincount(array) return wrap(tensor_of(array):bincount()) end
function functions.searchsorted(array, values)
  local found = torch.searchsorted(tensor_of(array), tensor_of(values))
  return type(values) == "number" and found:item() or wrap(found)
end

-- --- numbers ----------------------------------------------------------------------------------------------------

for name, method in pairs{arcsin = "asin", arccos = "acos", arctan = "atan", reciprocal = "reciprocal", exp2 = "exp2"} do
  functions[name] = function(x) return result(torch[method](floating(tensor_of(x)))) end
end
function functions.arctan2(y, x) return result(torch.atan2(floating(tensor_of(y)), floating(tensor_of(x)))) end
function functions.hypot(a, b) return result(torch.hypot(floating(tensor_of(a)), floating(tensor_of(b)))) end

local read_round = define "round(a, decimals=0)"
function functions.round(...)
  local a = read_round(...)
  local tensor = tensor_of(a.a)
  if not tensor.dtype.is_floating_point then return result(tensor) end
  return result(a.decimals == 0 and tensor:round() or (tensor * 10.0 ^ a.decimals):round() / 10.0 ^ a.decimals)
end
functions.around = functions.round

function functions.outer(a, b) return wrap(torch.outer(tensor_of(a):reshape(-1), tensor_of(b):reshape(-1))) end
function functions.isclose(a, b) return result(torch.isclose(floating(tensor_of(a)), floating(tensor_of(b)))) end
function functions.trace(array) return tensor_of(array):trace():item() end

local read_quantile = define "quantile(a, q, axis?)"
local function quantile(a)
  local tensor = floating(tensor_of(a.a))
  local q = type(a.q) == "number" and a.q or floating(tensor_of(a.q)):to(tensor.dtype)
  if a.axis == nil then return result(torch.quantile(tensor:reshape(-1), q)) end
  return result(torch.quantile(tensor, q, a.axis))
end
function functions.quantile(...) return quantile(read_quantile(...)) end
local read_percentile = define "percentile(a, q, axis?)"
function functions.percentile(...)
  local a = read_percentile(...)
  a.q = type(a.q) == "number" and a.q / 100 or np.asarray(a.q) / 100
  return quantile(a)
end
local read_median = define "median(a, axis?)"
function functions.median(...)
  local a = read_median(...)
  a.q = 0.5
  return quantile(a)
end

-- Handles "::-1" in a subscript: returns a copy with the dimension reversed, and the subscript for the copy.
function functions.backwards(tensor, key)
  local parts, turned, dim = {}, {}, 0
  for part in key:gmatch "[^,]+" do
    part = part:gsub("%s", "")
    local step = part:match "^::%-(%d+)$"
    if step then
      turned[#turned + 1], part = dim, "::" .. step
    end
    parts[#parts + 1] = part
    if part == "..." then
      local left = select(2, key:gsub("^.*%.%.%.", ""):gsub(",", ""))
      dim = tensor.ndim - left
    elseif part ~= "None" then
      dim = dim + 1
    end
  end
  return #turned > 0 and tensor:flip(turned) or tensor, table.concat(parts, ", ")
end

-- --- descriptions of dtypes -------------------------------------------------------------------------------------

function functions.dtype(dtype) return np._read_dtype(dtype) end
function functions.finfo(dtype) return torch.finfo(np._read_dtype(dtype).torch) end
function functions.iinfo(dtype) return torch.iinfo(np._read_dtype(dtype).torch) end

return functions
