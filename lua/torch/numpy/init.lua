-- numpy/init.lua: `local np = require "torch.numpy"`: host arrays that share their memory with tensors. An array is implemented
-- by a tensor. Names, dtypes and printed form are numpy's, subscripts are those of tensors, and a single number is a Lua number.
local torch = ...
local support = torch._part "support"
local repr = torch._part "numpy.print"
local fail, python, define = support.fail, support.python, torch._define

local np = {pi = math.pi, e = math.exp(1), inf = math.huge, nan = torch.nan, newaxis = "None"}
local Array = {} -- the methods
local metatable = {__name = "numpy.ndarray"}

-- --- dtypes -----------------------------------------------------------------------------------------------

local dtype_metatable = {__name = "numpy.dtype"}
function dtype_metatable.__tostring(dtype) return dtype.name end
function dtype_metatable.__concat(a, b) return tostring(a) .. tostring(b) end

local dtype_of = {} -- by the tensor's dtype
for name, kind in pairs{float64 = "f", float32 = "f", float16 = "f", int64 = "i", int32 = "i", int16 = "i",
  int8 = "i", uint8 = "u", bool = "b"} do
  local dtype = torch[name]
  np[name] = setmetatable({name = name, kind = kind, itemsize = dtype.itemsize, torch = dtype}, dtype_metatable)
  dtype_of[dtype] = np[name]
end
np.bool_ = np.bool

local python_dtypes = {float = np.float64, int = np.int64, double = np.float64, single = np.float32}

-- Returns the dtype that a program named: np.float32, "float32", torch.float32.
local function read_dtype(dtype)
  if dtype == nil then return nil end
  local found = getmetatable(dtype) == dtype_metatable and dtype or dtype_of[dtype]
  if type(dtype) == "string" then found = python_dtypes[dtype] or rawget(np, dtype) end
  if getmetatable(found) ~= dtype_metatable then fail("TypeError", "data type '%s' not understood", python(dtype)) end
  return found
end

local by_size = {f = {[2] = np.float16, [4] = np.float32, [8] = np.float64}}

-- Returns the result's dtype of arithmetic on two dtypes, when numpy and PyTorch differ: integers and floats.
local function promote(a, b)
  if a == b then return a end
  if (a.kind == "f") == (b.kind == "f") or a.kind == "b" or b.kind == "b" then
    return dtype_of[torch.promote_types(a.torch, b.torch)]
  end
  local float, integer = a, b
  if b.kind == "f" then float, integer = b, a end
  return by_size.f[math.max(float.itemsize, math.min(8, 2 * integer.itemsize))]
end

-- --- making -------------------------------------------------------------------------------------------------

local function is_array(value) return getmetatable(value) == metatable end
local function wrap(tensor) return setmetatable({tensor = tensor}, metatable) end

-- Returns an array over a tensor, or a number if it has no dimensions.
local function result(tensor)
  if tensor.ndim == 0 then return tensor:item() end
  return wrap(tensor)
end

local function no_gradients(f, ...)
  local _ <close> = torch.no_grad()
  return f(...)
end

-- Replaces the arrays in a table by tensors. The table is copied only if it contains arrays.
local function unwrap(value)
  if is_array(value) then return value.tensor end
  if not support.is_plain(value) then return value end
  local items
  for key, item in next, value do
    if type(item) ~= "number" then
      local own = unwrap(item)
      if own ~= item then
        items = items or table.move(value, 1, #value, 1, {})
        items[key] = own
      end
    end
  end
  return items or value
end

-- Returns the first number in nested tables, or the first other value.
local function first_of(data)
  while type(data) == "table" do data = data[1] end
  return data
end

local function has_tensors(list) return torch.is_tensor(list[1]) and list[1].ndim > 0 end

-- Returns a new tensor from numbers, tables, arrays or tensors; floats are float64.
local function tensor_from(data, dtype)
  data = unwrap(data)
  if torch.is_tensor(data) then
    data = data:detach():clone()
    return dtype and data:to(dtype.torch) or data
  end
  if type(data) == "table" and has_tensors(data) then
    local stacked = torch.stack(data)
    return dtype and stacked:to(dtype.torch) or stacked
  end
  if dtype then return torch.tensor(data, {dtype = dtype.torch}) end
  if math.type(first_of(data)) == "float" then return torch.tensor(data, {dtype = torch.float64}) end
  local tensor = torch.tensor(data)
  if not tensor.dtype.is_floating_point then return tensor end
  return torch.tensor(data, {dtype = torch.float64})
end

--- tensor:numpy() returns an array over the tensor's memory.
local read_force = define "numpy(*, force=false)"
function np.of_tensor(self, ...)
  local force = read_force(...).force
  if force then return wrap(self:detach():cpu()) end
  if self.device.type ~= "cpu" then
    fail("TypeError", "can't convert %s device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
      .. "memory first.", tostring(self.device))
  end
  if self.requires_grad and torch.is_grad_enabled() then
    fail("RuntimeError", "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
  end
  if not dtype_of[self.dtype] then fail("TypeError", "Got unsupported ScalarType " .. self:type():match "([%w_]+)Tensor$") end
  return wrap(self:detach())
end

--- torch.from_numpy(array) returns a tensor over the array's memory.
function np.to_tensor(array)
  if not is_array(array) then fail("TypeError", "expected np.ndarray (got %s)", torch._python_type(array)) end
  return array.tensor:detach()
end

-- Makes torch.tensor and torch.as_tensor accept arrays.
for name, share in pairs{tensor = false, as_tensor = true} do
  local make = torch[name]
  torch[name] = function(...)   -- as before, except for an array
    local data = ...
    if not is_array(data) then return make(...) end
    return make(share and data.tensor:detach() or data.tensor, select(2, ...))
  end
end

local read_array, read_asarray = define "array(object, dtype?)", define "asarray(a, dtype?)"
function np.array(...)
  local a = read_array(...)
  return wrap(tensor_from(a.object, read_dtype(a.dtype)))
end
function np.asarray(...)
  local a = read_asarray(...)
  local dtype = read_dtype(a.dtype)
  if is_array(a.a) and (not dtype or a.a.dtype == dtype) then return a.a end
  return wrap(tensor_from(a.a, dtype))
end

local function sizes_of(shape)
  if math.type(shape) == "integer" then return {shape} end
  local sizes = {}
  for i = 1, #shape do sizes[i] = support.is_plain(shape) and shape[i] or shape[i - 1] end
  return sizes
end

for _, name in ipairs{"zeros", "ones", "empty"} do
  local read, read_like = define(name .. "(shape, dtype?)"), define(name .. "_like(a, dtype?)")
  np[name] = function(...)
    local a = read(...)
    return wrap(torch[name](sizes_of(a.shape), {dtype = (read_dtype(a.dtype) or np.float64).torch}))
  end
  np[name .. "_like"] = function(...)
    local a = read_like(...)
    local tensor = np.asarray(a.a).tensor
    return wrap(torch[name .. "_like"](tensor, {dtype = (read_dtype(a.dtype) or dtype_of[tensor.dtype]).torch}))
  end
end

local read_full, read_eye = define "full(shape, fill_value, dtype?)", define "eye(N, M?, k=0, dtype?)"
function np.full(...)
  local a = read_full(...)
  local dtype = read_dtype(a.dtype) or dtype_of[tensor_from(a.fill_value).dtype]
  return wrap(torch.full(sizes_of(a.shape), a.fill_value, {dtype = dtype.torch}))
end

function np.eye(...)
  local a = read_eye(...)
  return wrap(torch.eye(a.N, a.M or a.N, {dtype = (read_dtype(a.dtype) or np.float64).torch}))
end
np.identity = np.eye

local read_arange, read_linspace = define "arange(start?, stop?, step=1, dtype?)", define "linspace(start, stop, num=50, dtype?)"
function np.arange(...)
  local a = read_arange(...)
  local start, stop, step = a.start, a.stop, a.step
  if start == nil and stop == nil then fail("TypeError", "arange() requires stop to be specified.") end
  if stop == nil then start, stop = 0, start end
  start = start or 0
  local whole = math.type(start) == "integer" and math.type(stop) == "integer" and math.type(step) == "integer"
  local dtype = read_dtype(a.dtype) or (whole and np.int64 or np.float64)
  if (stop - start) / step <= 0 then return wrap(torch.empty(0, {dtype = dtype.torch})) end
  return wrap(torch.arange(start, stop, step, {dtype = dtype.torch}))
end

function np.linspace(...)
  local a = read_linspace(...)
  local n, dtype = a.num, (read_dtype(a.dtype) or np.float64).torch
  local step = n > 1 and (a.stop - a.start) / (n - 1) or 0
  local values = torch.arange(n, {dtype = torch.float64}) * step + a.start
  if n > 1 then values[-1] = a.stop end
  return wrap(values:to(dtype))
end

-- --- shape, attributes ----------------------------------------------------------------------------------------

local shape_metatable = {__name = "tuple"}
function shape_metatable.__len(shape) return shape.n end
function shape_metatable.__index(shape, i)
  if math.type(i) ~= "integer" then return nil end
  if i < -shape.n or i >= shape.n then fail("IndexError", "tuple index out of range") end
  return shape.sizes[i < 0 and i + shape.n or i]
end
function shape_metatable.__eq(a, b) return tostring(a) == tostring(b) end
function shape_metatable.__concat(a, b) return tostring(a) .. tostring(b) end
function shape_metatable.__tostring(shape)
  local sizes = {}
  for i = 0, shape.n - 1 do sizes[i + 1] = shape.sizes[i] end
  return "(" .. table.concat(sizes, ", ") .. (shape.n == 1 and ",)" or ")")
end

local function shape_of(tensor, values)
  local sizes = {}
  for i = 0, tensor.ndim - 1 do sizes[i] = values[i] end
  return setmetatable({n = tensor.ndim, sizes = sizes}, shape_metatable)
end

local function reversed(tensor)
  local dims = {}
  for i = tensor.ndim - 1, 0, -1 do dims[#dims + 1] = i end
  if tensor.ndim < 2 then return tensor end
  return tensor:permute(table.unpack(dims))
end

function np._shape(list)
  local sizes = {}
  for i, size in ipairs(list) do sizes[i - 1] = size end
  return setmetatable({n = #list, sizes = sizes}, shape_metatable)
end

local attributes = {
  shape = function(t) return shape_of(t, t.shape) end,
  ndim = function(t) return t.ndim end,
  size = function(t) return t:numel() end,
  dtype = function(t) return dtype_of[t.dtype] end,
  itemsize = function(t) return t.dtype.itemsize end,
  nbytes = function(t) return t:numel() * t.dtype.itemsize end,
  T = function(t) return wrap(reversed(t)) end,
}

function metatable.__tostring(array)
  return repr(array.tensor, array.dtype.name, tostring(array.shape))
end
function metatable.__concat(a, b) return tostring(a) .. tostring(b) end
function metatable.__len(array)
  if array.ndim == 0 then fail("TypeError", "len() of unsized object") end
  return #array.tensor
end
function metatable.__pairs(array)
  local i, n = -1, #array
  return function()
    i = i + 1
    if i < n then return i, array[i] end
  end
end

function metatable.__index(array, key)
  local tensor = rawget(array, "tensor")
  if type(key) == "string" then
    if attributes[key] then return attributes[key](tensor) end
    if Array[key] then return Array[key] end
    if not key:find "^[%s%d:,%.%-]*$" and not key:find "None" then
      local names = {}
      for _, known in ipairs{attributes, Array} do
        for name in pairs(known) do names[#names + 1] = name end
      end
      table.sort(names)
      local near = torch._nearest(key, names)
      torch._raise("AttributeError", ("'numpy.ndarray' object has no attribute '%s'"):format(key),
        near and ("did you mean '%s'?"):format(near) or nil)
    end
  end
  if type(key) == "string" and key:find(":%s*%-%s*%d+") then
    tensor, key = torch._part("numpy.functions").backwards(tensor, key)
  end
  return result(tensor[unwrap(key)])
end

function metatable.__newindex(array, key, value)
  rawget(array, "tensor")[unwrap(key)] = unwrap(value)
end

-- --- arithmetic -----------------------------------------------------------------------------------------------

local function to(tensor, dtype) return tensor.dtype == dtype.torch and tensor or tensor:to(dtype.torch) end

-- Converts an integer array to float64 if the other operand is a float. Otherwise a plain number takes the array's dtype.
local function meet(tensor, number)
  if math.type(number) == "float" and not tensor.dtype.is_floating_point then return to(tensor, np.float64) end
  return tensor
end

-- Returns the two operands as tensors or numbers of the dtype that numpy computes in.
local function operands(a, b)
  if support.is_plain(a) then a = np.array(a) end
  if support.is_plain(b) then b = np.array(b) end
  a, b = unwrap(a), unwrap(b)
  if not torch.is_tensor(b) then return meet(a, b), b end
  if not torch.is_tensor(a) then return a, meet(b, a) end
  local dtype = promote(dtype_of[a.dtype], dtype_of[b.dtype])
  return to(a, dtype), to(b, dtype)
end

local function in_floats(a, b)
  if torch.is_tensor(a) and not a.dtype.is_floating_point then a = to(a, np.float64) end
  if torch.is_tensor(b) and not b.dtype.is_floating_point then b = to(b, np.float64) end
  return a, b
end

-- Returns both operands as tensors, also if they are numbers.
local function in_tensors(a, b)
  if not torch.is_tensor(a) then a = to(tensor_from(a), torch.is_tensor(b) and dtype_of[b.dtype] or np.float64) end
  if not torch.is_tensor(b) then b = to(tensor_from(b), dtype_of[a.dtype]) end
  return a, b
end

local function operator(f, floats)
  return function(a, b)
    if torch.is_tensor(a) or torch.is_tensor(b) then return f(unwrap(a), unwrap(b)) end
    a, b = operands(a, b)
    if floats then a, b = in_floats(a, b) end
    return result(no_gradients(f, a, b))
  end
end

metatable.__add = operator(function(a, b) return a + b end)
metatable.__sub = operator(function(a, b) return a - b end)
metatable.__mul = operator(function(a, b) return a * b end)
metatable.__div = operator(function(a, b) return a / b end, true)
metatable.__idiv = operator(function(a, b) return a // b end)
metatable.__mod = operator(function(a, b) return a % b end)
metatable.__pow = operator(function(a, b) return a ^ b end)
metatable.__band = operator(function(a, b) return a & b end)
metatable.__bor = operator(function(a, b) return a | b end)
metatable.__bxor = operator(function(a, b) return a ~ b end)
function metatable.__unm(a) return wrap(-a.tensor) end
function metatable.__bnot(a) return wrap(~a.tensor) end

local function comparison(name)
  local compare = operator(function(a, b)
    a, b = in_tensors(a, b)
    return a[name](a, b)
  end)
  Array[name], np[({eq = "equal", ne = "not_equal", lt = "less", le = "less_equal", gt = "greater",
    ge = "greater_equal"})[name]] = compare, compare
  return function(a, b)
    local answers = compare(a, b)
    if type(answers) == "boolean" then return answers end
    if answers.size ~= 1 then
      torch._raise("ValueError", "The truth value of an array with more than one element is ambiguous. "
        .. "Use a.any() or a.all()", ("in Lua a comparison answers true or false; use a:%s(b)"):format(name))
    end
    return answers.tensor:item()
  end
end
metatable.__eq, metatable.__lt, metatable.__le = comparison "eq", comparison "lt", comparison "le"
for _, name in ipairs{"ne", "gt", "ge"} do comparison(name) end

-- --- functions of every element, reductions ---------------------------------------------------------------------

local function elementwise(name, method, floats)
  local function f(x)
    if type(x) == "number" then x = np.array(x) end
    local tensor = np.asarray(x).tensor
    if floats then tensor = in_floats(tensor) end
    return result(no_gradients(tensor[method], tensor))
  end
  np[name] = f
  return f
end

for _, name in ipairs{"sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "sinh", "cosh",
  "tanh"} do
  elementwise(name, name, true)
end
for name, method in pairs{abs = "abs", absolute = "abs", square = "square", floor = "floor", ceil = "ceil",
  sign = "sign", negative = "neg", isnan = "isnan", isinf = "isinf", isfinite = "isfinite"} do
  elementwise(name, method)
end

-- Reads np.sum{a, axis = 0} as np.sum(a, {axis = 0}).
local function unfold(self, ...)
  if select("#", ...) > 0 or not support.is_plain(self) then return self, ... end
  local keywords = {axis = self.axis, keepdims = self.keepdims, ddof = self.ddof}
  if next(keywords) == nil then return self end
  return self[1], keywords
end

local function reduction(name, reduce, more)
  local read = define(name .. "(axis?, keepdims=false" .. (more or "") .. ")")
  local function reduced(self, ...)
    local a = read(...)
    local tensor = np.asarray(self).tensor
    return result(no_gradients(reduce, tensor, a.axis, a.keepdims, a.ddof))
  end
  local function f(...) return reduced(unfold(...)) end
  Array[name], np[name] = f, f
end

local function over(method, prepare)
  return function(t, axis, keepdims)
    t = prepare and prepare(t) or t
    if axis == nil then return t[method](t) end
    local values = t[method](t, axis, keepdims)
    return values
  end
end

local function spread(method)
  return function(t, axis, keepdims, ddof)
    t = in_floats(t)
    if axis == nil then return t[method](t, {correction = ddof}) end
    return t[method](t, axis, {correction = ddof, keepdim = keepdims})
  end
end

for _, name in ipairs{"sum", "prod", "any", "all", "argmax", "argmin", "max", "min"} do reduction(name, over(name)) end
reduction("mean", over("mean", in_floats))
reduction("std", spread "std", ", ddof=0")
reduction("var", spread "var", ", ddof=0")

-- --- methods ------------------------------------------------------------------------------------------------------

function Array.item(array, ...)
  if select("#", ...) == 1 then return array.tensor:reshape(-1)[(...)]:item() end
  if select("#", ...) > 1 then return array[{...}] end
  if array.size ~= 1 then fail("ValueError", "can only convert an array of size 1 to a Python scalar") end
  return array.tensor:item()
end
function Array.tolist(array) return array.tensor:tolist() end
function Array.copy(array) return wrap(array.tensor:clone()) end
function Array.astype(array, dtype) return wrap(tensor_from(array, read_dtype(dtype))) end
function Array.reshape(array, ...)
  local sizes = select("#", ...) == 1 and sizes_of((...)) or {...}
  return wrap(array.tensor:reshape(sizes))
end
function Array.flatten(array) return wrap(array.tensor:flatten():clone()) end
function Array.ravel(array) return wrap(array.tensor:reshape(-1)) end
function Array.transpose(array, ...)
  if select("#", ...) == 0 then return array.T end
  return wrap(array.tensor:permute(...))
end
function Array.squeeze(array, axis)
  if axis then return wrap(array.tensor:squeeze(axis)) end
  return wrap(array.tensor:squeeze())
end
function Array.cumsum(array, axis)
  return wrap(axis and array.tensor:cumsum(axis) or array.tensor:reshape(-1):cumsum(0))
end
function Array.cumprod(array, axis)
  return wrap(axis and array.tensor:cumprod(axis) or array.tensor:reshape(-1):cumprod(0))
end
function Array.fill(array, value) array.tensor:fill_(value) end
function Array.clip(array, low, high) return wrap(array.tensor:clamp(low, high)) end
function Array.dot(a, b)
  local x, y = operands(a, b)
  return result(no_gradients(torch.matmul, x, y))
end
Array.matmul = Array.dot

-- --- functions of several arrays ----------------------------------------------------------------------------------

for name in pairs{reshape = 1, transpose = 1, squeeze = 1, cumsum = 1, cumprod = 1, clip = 1, copy = 1, ravel = 1} do
  np[name] = function(array, ...) return Array[name](np.asarray(array), ...) end
end
function np.dot(a, b) return Array.dot(np.asarray(a), b) end
np.matmul = np.dot
np.maximum = operator(function(a, b) return torch.maximum(in_tensors(a, b)) end)
np.minimum = operator(function(a, b) return torch.minimum(in_tensors(a, b)) end)
np.add, np.subtract, np.multiply = metatable.__add, metatable.__sub, metatable.__mul
np.divide, np.power, np.mod = metatable.__div, metatable.__pow, metatable.__mod

function np.where(condition, a, b)
  local both_numbers = type(a) == "number" and type(b) == "number"
  local x, y = operands(both_numbers and np.array(a) or a, b)
  return wrap(torch.where(unwrap(condition), in_tensors(x, y)))
end

function np.expand_dims(array, axis) return wrap(np.asarray(array).tensor:unsqueeze(axis)) end

local function joined(name, method)
  local read = define(name .. "(arrays, axis?)")
  np[name] = function(...)
    local a = read(...)
    local dtype
    local tensors = {}
    for k, array in ipairs(a.arrays) do
      tensors[k] = np.asarray(array).tensor
      local own = dtype_of[tensors[k].dtype]
      dtype = dtype and promote(dtype, own) or own
    end
    for k, tensor in ipairs(tensors) do tensors[k] = to(tensor, dtype) end
    if method == "cat" or method == "stack" then return wrap(torch[method](tensors, a.axis or 0)) end
    return wrap(torch[method](tensors))
  end
end
for name, method in pairs{concatenate = "cat", stack = "stack", vstack = "vstack", hstack = "hstack"} do
  joined(name, method)
end

function np.array_equal(a, b)
  local x, y = operands(np.asarray(a), np.asarray(b))
  return torch.equal(x, y)
end
function np.allclose(a, b)
  local x, y = operands(np.asarray(a), np.asarray(b))
  return torch.allclose(x, y)
end

-- --- files ------------------------------------------------------------------------------------------------------

-- Functions for the parts that are loaded when they are called.
np._wrap, np._read_dtype, np._sizes_of = wrap, read_dtype, sizes_of
for part, names in pairs{
  files = "load save savez savez_compressed frombuffer fromfile memmap",
  text = "loadtxt genfromtxt savetxt",
  functions = "column_stack meshgrid split tile repeat flip roll diag triu tril swapaxes moveaxis atleast_1d atleast_2d full_like "
    .. "logspace sort argsort diff unique nonzero argwhere count_nonzero bincount searchsorted arcsin arccos arctan reciprocal exp2 "
    .. "arctan2 hypot round around outer isclose trace quantile percentile median dtype finfo iinfo",
  algebra = "einsum cov corrcoef histogram polyfit polyval interp logical_and logical_or logical_xor logical_not isin"} do
  for name in names:gmatch "%S+" do
    np[name] = function(...) return torch._part("numpy." .. part)[name](...) end
  end
end
for _, name in ipairs{"tofile", "tobytes"} do
  Array[name] = function(...) return torch._part "numpy.files"[name](...) end
end

-- Members that are created on their first use.
local lazy = {
  random = function() return torch._part "torch.numpy.random" end,
  linalg = function() return torch._part("numpy.algebra").linalg end,
  c_ = function() return torch._part("numpy.functions").c_ end,
}
local of_names = getmetatable(torch._namespace(np, "numpy"))
local of_module = of_names.__index
of_names.__lazy = lazy
of_names.__index = function(_, key)
  if not lazy[key] then return of_module(np, key) end
  np[key] = lazy[key]()
  return np[key]
end

return np
