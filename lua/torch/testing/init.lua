-- testing/init.lua: torch.testing: assert_close with PyTorch's messages, make_tensor with its numbers. If luassert is loaded
-- (under busted), this file makes it compare tensors (torch/testing/luassert.lua).
local torch = ...
local support = torch._part "support"
local fail, repr = support.fail, torch._part "optim.support".repr
local testing = {}

-- --- tolerances -----------------------------------------------------------------------------------------------

local PRECISIONS = {[torch.float16] = {0.001, 1e-5}, [torch.bfloat16] = {0.016, 1e-5}, [torch.float32] = {1.3e-6, 1e-5},
  [torch.float64] = {1e-7, 1e-7}}

-- Returns the largest relative and absolute tolerance of these dtypes.
local function tolerances_of(precisions, ...)
  local rtol, atol = 0.0, 0.0
  for _, dtype in ipairs{...} do
    local pair = precisions[dtype]
    if pair then rtol, atol = math.max(rtol, pair[1]), math.max(atol, pair[2]) end
  end
  return rtol, atol
end

-- --- differences ----------------------------------------------------------------------------------------------
-- A difference is an error with a place: raised as a table, until assert_close makes an error of torch of it.

local Difference = {}
local function differ(id, kind, format, ...)
  error(setmetatable({kind = kind, message = select("#", ...) > 0 and format:format(...) or format, id = id}, Difference), 0)
end

local function tolerances(options, id, first, second)
  local rtol, atol = options.rtol, options.atol
  if (rtol == nil) ~= (atol == nil) then
    differ(id, "ValueError", "Both 'rtol' and 'atol' must be either specified or omitted, but got no %s.", rtol == nil and "rtol" or "atol")
  end
  if rtol ~= nil then return rtol, atol end
  return tolerances_of(PRECISIONS, first, second)
end

local function difference_line(kind, value, place, tolerance, exact)
  local head = place and ("Greatest %s difference: %s at index %s"):format(kind, repr(value), place)
    or ("%s difference: %s"):format(kind:gsub("^%l", string.upper), repr(value))
  return exact and head or ("%s (up to %s allowed)"):format(head, repr(tolerance))
end

-- Returns the message of a difference d: what (Scalars, Tensor-likes), extra, abs and rel with their places.
local function mismatch(d, rtol, atol)
  local exact = rtol == 0 and atol == 0
  return ("%s are not %s!\n\n%s\n%s\n%s"):format(d.what, exact and "equal" or "close", d.extra,
    difference_line("absolute", d.abs, d.abs_place, atol, exact), difference_line("relative", d.rel, d.rel_place, rtol, exact))
end

local function as_number(value)
  if type(value) == "boolean" then return value and 1 or 0 end
  return value
end

local function scalar_mismatch(actual, expected, rtol, atol)
  local a, b = as_number(actual), as_number(expected)
  local difference = math.abs(a - b)
  return mismatch({what = "Scalars", extra = ("Expected %s but got %s."):format(repr(expected), repr(actual)), abs = difference,
    rel = b == 0 and math.huge or difference / math.abs(b)}, rtol, atol)
end

local function index_text(flat, shape)
  local index = {}
  for d = #shape - 1, 0, -1 do
    index[d + 1] = tostring(flat % shape[d])
    flat = flat // shape[d]
  end
  return ("(%s%s)"):format(table.concat(index, ", "), #shape == 1 and "," or "")
end

local function tensor_mismatch(actual, expected, matches, rtol, atol)
  local total = matches:numel()
  local wrong = total - matches:sum():item()
  local a, b, same = actual:flatten(), expected:flatten(), matches:flatten()
  if not a.dtype.is_floating_point then a, b = a:to(torch.int64), b:to(torch.int64) end
  local absolute = (a - b):abs()
  local relative = absolute:masked_fill(same, 0) / b:abs()
  local abs, abs_index = absolute:masked_fill(same, 0):max(0)
  local rel, rel_index = relative:masked_fill(same, 0):max(0)
  return mismatch({what = "Tensor-likes", extra = ("Mismatched elements: %d / %d (%.1f%%)"):format(wrong, total, 100 * wrong / total),
    abs = abs:item(), abs_place = index_text(abs_index:item(), actual.shape),
    rel = rel:item(), rel_place = index_text(rel_index:item(), actual.shape)}, rtol, atol)
end

-- --- pairs ----------------------------------------------------------------------------------------------------

local function compare_numbers(a, b, options, id)
  local rtol, atol = tolerances(options, id, math.type(a) == "float" and torch.float64, math.type(b) == "float" and torch.float64)
  if options.check_dtype and math.type(a) ~= math.type(b) then
    differ(id, "AssertionError", "The (d)types do not match: %s != %s.", support.python_class(a), support.python_class(b))
  end
  if a == b or (options.equal_nan and a ~= a and b ~= b) then return end
  local difference = math.abs(a - b)
  if difference < math.huge and difference <= atol + rtol * math.abs(b) then return end
  differ(id, "AssertionError", "%s", scalar_mismatch(a, b, rtol, atol))
end

local function text_of(value)
  if torch.is_tensor(value) then return tostring(value) end
  return repr(value)
end

local function compare_attributes(a, b, options, id)
  local function wrong(name, x, y)
    differ(id, "AssertionError", "The values for attribute '%s' do not match: %s != %s.", name, x, y)
  end
  if a.shape ~= b.shape then wrong("shape", tostring(a.shape), tostring(b.shape)) end
  if options.check_stride then
    local x, y = repr(a:stride()), repr(b:stride())
    if x ~= y then wrong("stride()", x, y) end
  end
  if options.check_device and a.device ~= b.device then wrong("device", tostring(a.device), tostring(b.device)) end
  if options.check_dtype and a.dtype ~= b.dtype then wrong("dtype", tostring(a.dtype), tostring(b.dtype)) end
end

local function compare_tensors(a, b, options, id)
  local rtol, atol = tolerances(options, id, a.dtype, b.dtype)
  compare_attributes(a, b, options, id)
  if a.device.type == "meta" or b.device.type == "meta" then return end
  a, b = a:detach(), b:detach()
  if a.device ~= b.device then a, b = a:cpu(), b:cpu() end
  if a.dtype ~= b.dtype then
    local dtype = torch.promote_types(a.dtype, b.dtype)
    a, b = a:to(dtype), b:to(dtype)
  end
  local matches = torch.isclose(a, b, {rtol = rtol, atol = atol, equal_nan = options.equal_nan})
  if matches:all():item() then return end
  differ(id, "AssertionError", "%s", a.ndim == 0 and scalar_mismatch(a:item(), b:item(), rtol, atol)
    or tensor_mismatch(a, b, matches, rtol, atol))
end

local compare

local function extended(id, item) return table.move({item}, 1, 1, #id + 1, table.move(id, 1, #id, 1, {})) end

local function compare_lists(a, b, options, id)
  if #a ~= #b then differ(id, "AssertionError", "The length of the sequences mismatch: %d != %d", #a, #b) end
  for i = 1, #a do compare(a[i], b[i], options, extended(id, tostring(i - 1))) end
end

local function sorted_keys(t, without)
  local keys = {}
  for key in pairs(t) do
    if not without or without[key] == nil then keys[#keys + 1] = key end
  end
  table.sort(keys, function(x, y) return tostring(x) < tostring(y) end)
  return keys
end

local function key_text(keys)
  local out = {}
  for i, key in ipairs(keys) do out[i] = repr(key) end
  return ("[%s]"):format(table.concat(out, ", "))
end

local function compare_mappings(a, b, options, id)
  local missing, more = sorted_keys(b, a), sorted_keys(a, b)
  if #missing > 0 or #more > 0 then
    differ(id, "AssertionError", "The keys of the mappings do not match:\nMissing keys in the actual mapping: %s\n" ..
      "Additional keys in the actual mapping: %s", key_text(missing), key_text(more))
  end
  for _, key in ipairs(sorted_keys(a)) do compare(a[key], b[key], options, extended(id, repr(key))) end
end

local function is_mapping(t) return type(t) == "table" and (support.key_kinds(t)) and #t == 0 end

function compare(a, b, options, id)
  if support.is_array(a) and support.is_array(b) then a, b = torch.from_numpy(a), torch.from_numpy(b) end
  local kind = type(a)
  if a == nil or b == nil then
    if rawequal(a, b) then return end
    differ(id, "AssertionError", "None mismatch: %s is not %s", text_of(a), text_of(b))
  elseif torch.is_tensor(a) and torch.is_tensor(b) then
    return compare_tensors(a, b, options, id)
  elseif kind == "boolean" and type(b) == "boolean" then
    if a ~= b then differ(id, "AssertionError", "Booleans mismatch: %s is not %s", repr(a), repr(b)) end
    return
  elseif kind == "number" and type(b) == "number" then
    return compare_numbers(a, b, options, id)
  elseif is_mapping(a) and is_mapping(b) then
    return compare_mappings(a, b, options, id)
  elseif support.is_plain(a) and support.is_plain(b) then
    return compare_lists(a, b, options, id)
  end
  differ(id, "TypeError", "No comparison pair was able to handle inputs of type %s and %s.", support.python_class(a), support.python_class(b))
end

-- --- public functions -----------------------------------------------------------------------------------------

local function message_of(difference, msg)
  if type(msg) == "string" then return msg end
  local text = difference.message
  if #difference.id > 0 then
    text = text .. "\n\nThe failure occurred for item [" .. table.concat(difference.id, "][") .. "]"
  end
  return msg and msg(text) or text
end

--- Returns nil if actual is close to expected, else the kind and text of PyTorch's error. options: as assert_close's keywords.
function testing._difference(actual, expected, options)
  local ok, problem = pcall(compare, actual, expected, options, {})
  if ok then return nil end
  if getmetatable(problem) ~= Difference then error(problem, 0) end
  return problem.kind, message_of(problem, options.msg)
end

local read = torch._define("assert_close(actual?, expected?, *, allow_subclasses=true, rtol?, atol?, equal_nan=false, check_device=true, " ..
  "check_dtype=true, check_layout=true, check_stride=false, msg?)")

-- The names of keywords. Lists and mappings to compare are not keywords, in any place.
local NAMES = {actual = true, expected = true, allow_subclasses = true, rtol = true, atol = true, equal_nan = true, check_device = true,
  check_dtype = true, check_layout = true, check_stride = true, msg = true}

--- Raises PyTorch's error if actual, a tensor, a number, or a table of such, is not close to expected.
function testing.assert_close(...)
  if select("#", ...) == 1 then
    local named = read(...)
    return testing._raise(named.actual, named.expected, named)
  end
  local actual, expected, keywords = ...
  local options = {}
  if keywords ~= nil then
    for key in pairs(support.is_plain(keywords) and keywords or {}) do
      if not NAMES[key] then fail("TypeError", "assert_close() got an unexpected keyword argument '%s'", tostring(key)) end
    end
  end
  keywords = keywords or {}
  for key in pairs(NAMES) do options[key] = keywords[key] end
  for _, key in ipairs{"check_device", "check_dtype", "check_layout"} do options[key] = keywords[key] ~= false end
  return testing._raise(actual, expected, options)
end

function testing._raise(actual, expected, options)
  local kind, text = testing._difference(actual, expected, options)
  if kind then torch._raise(kind, text) end
end

--- Does the same as assert_close, with wider tolerances for float32, and NaN equal to NaN. It is PyTorch's older form.
function testing.assert_allclose(actual, expected, options)
  options = options or {}
  if not torch.is_tensor(actual) then actual = torch.tensor(actual) end
  if not torch.is_tensor(expected) then expected = torch.tensor(expected, {dtype = actual.dtype}) end
  local rtol, atol = options.rtol, options.atol
  if rtol == nil and atol == nil then
    rtol, atol = tolerances_of({[torch.float16] = {1e-3, 1e-3}, [torch.float32] = {1e-4, 1e-5}, [torch.float64] = {1e-5, 1e-8}},
      actual.dtype, expected.dtype)
  end
  testing._raise(actual, expected, {rtol = rtol, atol = atol, equal_nan = options.equal_nan ~= false, check_device = true, msg = options.msg})
end

-- --- tensors to test with -------------------------------------------------------------------------------------

local read_tensor = torch._define("make_tensor(shape, *, dtype, device, low?, high?, requires_grad=false, noncontiguous=false, " ..
  "exclude_zero=false, memory_format?)")

-- Returns the bounds of the random numbers, within the range of the dtype.
local function bounds(a, minimum, maximum, low, high)
  low, high = a.low or low, a.high or high
  if low ~= low or high ~= high then
    fail("ValueError", "`low` and `high` cannot be NaN, but got low=%s and high=%s", repr(low), repr(high))
  elseif low == high and a.dtype.is_floating_point then
    torch._warn("Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 and will be " ..
      "removed in 2.3. Use `torch.full(...)` instead.", "FutureWarning")
  elseif low >= high then
    fail("ValueError", "`low` must be less than `high`, but got %s >= %s", repr(low), repr(high))
  elseif high < minimum or low >= maximum then
    fail("ValueError", "The value interval specified by `low` and `high` is [%s, %s), but %s only supports [%s, %s)", repr(low), repr(high),
      tostring(a.dtype), repr(minimum), repr(maximum))
  end
  low, high = math.min(math.max(low, minimum), maximum), math.min(math.max(high, minimum), maximum)
  if a.dtype.is_floating_point then return low, high end
  return math.ceil(low), math.ceil(high)
end

local function draw(a, shape)
  local options = {dtype = a.dtype, device = a.device}
  if a.dtype.is_floating_point then
    local info = torch.finfo(a.dtype)
    local low, high = bounds(a, info.min, info.max, -9, 9)
    local result = torch.empty(shape, options)
    if high - low >= info.max then return result:uniform_(low / 2, high / 2):mul_(2) end
    return result:uniform_(low, high)
  end
  local minimum, maximum, low, high = 0, 2, 0, 2
  if a.dtype ~= torch.bool then
    local info = torch.iinfo(a.dtype)
    minimum, maximum, low, high = info.min, info.max, -9, 10
    if a.dtype ~= torch.int64 then maximum = maximum + 1 end
  end
  low, high = bounds(a, minimum, maximum, low, high)
  return torch.randint(low, high, shape, options)
end

local function shape_of(...)
  local positional, n, named = torch._split(...)
  local shape = positional
  if n == 1 and type(positional[1]) ~= "number" then shape = positional[1] end
  if n == 0 and named.shape then shape = named.shape end
  local sizes = {}
  for i = 1, #shape do sizes[i] = support.is_plain(shape) and shape[i] or shape[i - 1] end
  named.shape = sizes
  return named
end

--- make_tensor(sizes..., {dtype = ..., device = ..., low = ..., high = ...}) returns random numbers from low to high.
function testing.make_tensor(...)
  local a = read_tensor(shape_of(...))
  local shape, count = a.shape, 1
  if a.noncontiguous and a.memory_format ~= nil then
    fail("ValueError", "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got noncontiguous=True and " ..
      "memory_format=%s", tostring(a.memory_format))
  end
  if a.requires_grad and not a.dtype.is_floating_point then
    fail("ValueError", "`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype=%s", tostring(a.dtype))
  end
  for _, size in ipairs(shape) do count = count * size end
  local apart = a.noncontiguous and count > 1
  if apart then shape[#shape] = 2 * shape[#shape] end
  local result = draw(a, shape)
  if apart then
    result = result["..., 1::2"]
  elseif a.memory_format ~= nil then
    result = result:clone{memory_format = a.memory_format}
  end
  if a.exclude_zero then
    result:masked_fill_(result:eq(0), a.dtype.is_floating_point and torch.finfo(a.dtype).tiny or 1)
  end
  return a.requires_grad and result:requires_grad_() or result
end

torch._namespace(testing, "torch.testing")
if package.loaded["luassert"] or package.loaded["luassert.assert"] then torch._part "testing.luassert"(testing) end
return testing
