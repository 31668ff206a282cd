-- foreach.lua: torch._foreach_*: an operator on each tensor of a list. A function returns the list of results, or, in place,
-- the list that it wrote. Each is a loop of the operator, so results, gradients and errors are the operator's.
local torch = ...
local support = torch._part "support"
local fail = support.fail
local foreach = {}

-- --- lists ----------------------------------------------------------------------------------------------------

local function is_list(value) return support.is_plain(value) end
local function is_scalar(value) return type(value) == "number" or type(value) == "boolean" end

local function is_list_of_tensors(value)
  if not is_list(value) then return false end
  for i = 1, #value do
    if not torch.is_tensor(value[i]) then return false end
  end
  return true
end

local function check_not_empty(list)
  if #list == 0 then fail("RuntimeError", "Tensor list must have at least one tensor.") end
end

-- Fails unless the lists are of one length.
local function check_lengths(list, ...)
  check_not_empty(list)
  for _, other in ipairs{...} do
    if #other ~= #list then
      fail("RuntimeError", "Tensor lists must have the same number of tensors, got %d and %d", #list, #other)
    end
  end
end

local function check_scalars(list, scalars)
  check_not_empty(list)
  if #scalars ~= #list then fail("RuntimeError", "Tensor list must have same number of elements as scalar list.") end
end

local function check_scalar_tensor(tensor)
  if tensor.ndim > 0 then
    fail("RuntimeError", "scalar tensor expected to be 0 dim but it has %d dimensions and %d elements.", tensor.ndim, tensor:numel())
  end
end

-- Raises PyTorch's error for arguments that fit none of its overloads.
local function refuse(name, ...)
  local kinds = {}
  for i, value in ipairs{...} do
    kinds[i] = torch.is_tensor(value) and "Tensor" or is_list(value) and "list" or math.type(value) == "integer" and "int"
      or ({number = "float", string = "str", boolean = "bool"})[type(value)] or "object"
  end
  fail("TypeError", "%s() received an invalid combination of arguments - got (%s)", name, table.concat(kinds, ", "))
end

local function each(list, f)
  check_not_empty(list)
  local results = {}
  for i, tensor in ipairs(list) do results[i] = f(tensor, i) end
  return results
end

-- Defines torch._foreach_NAME by `signature`, the text in its parentheses. body(call, list, ...) calls call(tensor, ...) for each tensor;
-- call is the operator, or its form in place, which then also returns the list.
local function define(name, signature, body, forms)
  for _, ending in ipairs(forms or {"", "_"}) do
    local full = "_foreach_" .. name .. ending
    local method = name .. ending
    local function call(tensor, ...) return torch.Tensor[method](tensor, ...) end
    foreach[full] = torch._define(full .. "(" .. signature .. ")", function(list, ...)
      if not is_list_of_tensors(list) and not (name == "pow" and is_scalar(list)) then refuse(full, list, ...) end
      local results = body(call, full, list, ...)
      return method:sub(-1) == "_" and list or results
    end)
  end
end

-- --- one tensor -------------------------------------------------------------------------------------------------

local UNARY = "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt " ..
  "sigmoid sign sin sinh sqrt tan tanh trunc"
for name in UNARY:gmatch "%S+" do
  define(name, "self", function(call, _, list) return each(list, function(tensor) return call(tensor) end) end)
end
define("zero", "self", function(call, _, list) return each(list, function(tensor) return call(tensor) end) end, {"_"})
define("clone", "self, *, memory_format?", function(call, _, list, format)
  return each(list, function(tensor) return format and call(tensor, {memory_format = format}) or call(tensor) end)
end, {""})

-- --- a tensor and a second operand --------------------------------------------------------------------------------

-- Returns the operand of tensor i: a number or tensor for all, or one of a list. Checks the list's length.
local function operand_of(full, list, other)
  if is_list_of_tensors(other) and #other > 0 then
    check_lengths(list, other)
    return function(i) return other[i] end
  elseif is_list(other) then
    for _, value in ipairs(other) do
      if not is_scalar(value) then refuse(full, list, other) end
    end
    check_scalars(list, other)
    return function(i) return other[i] end
  elseif torch.is_tensor(other) then
    check_not_empty(list)
    check_scalar_tensor(other)
  elseif is_scalar(other) then
    check_not_empty(list)
  else
    refuse(full, list, other)
  end
  return function() return other end
end

for _, name in ipairs{"add", "sub"} do
  define(name, "self, other, *, alpha?", function(call, full, list, other, alpha)
    if alpha ~= nil and is_scalar(other) then refuse(full, list, other) end
    local operand, keywords = operand_of(full, list, other), alpha ~= nil and {alpha = alpha} or {}
    return each(list, function(tensor, i) return call(tensor, operand(i), keywords) end)
  end)
end
for _, name in ipairs{"mul", "div"} do
  define(name, "self, other", function(call, full, list, other)
    local operand = operand_of(full, list, other)
    return each(list, function(tensor, i) return call(tensor, operand(i)) end)
  end)
end
define("pow", "self, exponent", function(call, full, list, exponent)
  if is_scalar(list) then
    if not is_list_of_tensors(exponent) then refuse(full, list, exponent) end
    return each(exponent, function(tensor) return torch.pow(list, tensor) end)
  end
  local operand = operand_of(full, list, exponent)
  return each(list, function(tensor, i) return call(tensor, operand(i)) end)
end)

-- Limits from below or above. maximum and minimum are the same, which PyTorch has for tensors only.
for name, limit in pairs{clamp_min = "min", clamp_max = "max", maximum = "min", minimum = "max"} do
  for _, ending in ipairs{"", "_"} do
    define(name .. ending, "self, other", function(_, full, list, other)
      local operand = operand_of(full, list, other)
      return each(list, function(tensor, i) return torch.Tensor["clamp" .. ending](tensor, {[limit] = operand(i)}) end)
    end, {""})
  end
end

define("copy", "self, src, non_blocking=false", function(call, full, list, src, non_blocking)
  if not is_list_of_tensors(src) then refuse(full, list, src) end
  check_lengths(list, src)
  return each(list, function(tensor, i) return call(tensor, src[i], non_blocking) end)
end, {"_"})
define("mm", "self, mat2", function(call, full, list, mat2)
  if not is_list_of_tensors(mat2) then refuse(full, list, mat2) end
  if #list ~= #mat2 then fail("RuntimeError", "_foreach_mm: self and mat2 must have the same number of tensors") end
  return each(list, function(tensor, i) return call(tensor, mat2[i]) end)
end, {""})

-- --- a tensor and two operands ------------------------------------------------------------------------------------

-- Returns the factor of tensor i: a number for all, or one of a list or of a tensor of one dimension.
local function factor_of(full, list, value)
  if torch.is_tensor(value) then
    if value:numel() ~= #list then
      fail("RuntimeError", "Expected length of scalars to match input of length %d but got %d instead.", #list, value:numel())
    end
    local values = value:tolist()
    return function(i) return values[i] end
  end
  return operand_of(full, list, value == nil and 1 or value)
end

for _, name in ipairs{"addcmul", "addcdiv"} do
  define(name, "self, tensor1, tensor2, value?, *, scalars?", function(call, full, list, tensor1, tensor2, value, scalars)
    if not is_list_of_tensors(tensor1) or not is_list_of_tensors(tensor2) then refuse(full, list, tensor1, tensor2) end
    check_lengths(list, tensor1, tensor2)
    local factor = factor_of(full, list, scalars == nil and value or scalars)
    return each(list, function(tensor, i) return call(tensor, tensor1[i], tensor2[i], {value = factor(i)}) end)
  end)
end
define("lerp", "self, tensors1, weight", function(call, full, list, tensors1, weight)
  if not is_list_of_tensors(tensors1) then refuse(full, list, tensors1, weight) end
  check_lengths(list, tensors1)
  local operand = operand_of(full, list, weight)
  return each(list, function(tensor, i) return call(tensor, tensors1[i], operand(i)) end)
end)

-- --- reductions ---------------------------------------------------------------------------------------------------

define("norm", "self, ord=2, dtype?", function(_, _, list, ord, dtype)
  return each(list, function(tensor) return torch.linalg.vector_norm(tensor, ord, {dtype = dtype}) end)
end, {""})
define("powsum", "self, ord=2, dtype?", function(_, _, list, ord, dtype)
  return each(list, function(tensor) return tensor:abs():pow(ord):sum{dtype = dtype} end)
end, {""})
define("max", "self", function(call, _, list)
  for _, tensor in ipairs(list) do
    if tensor:numel() == 0 then
      fail("RuntimeError", "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined.")
    end
  end
  return each(list, function(tensor) return call(tensor) end)
end, {""})

return foreach
