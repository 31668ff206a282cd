-- apply.lua: Tensor.apply_, map_ and map2_: replace each element by a Lua function's result, in place, row by row.
local torch = ...
local apply = {}

local function fail(kind, text, ...) torch._raise(kind, text:format(...)) end

local python_types = {["nil"] = "NoneType", string = "str", table = "dict", number = "float", boolean = "bool"}
local function type_of(value)
  if math.type(value) == "integer" then return "int" end
  return python_types[type(value)] or "function"
end

-- Returns a function's result as PyTorch stores it in a tensor of that dtype. Integers are truncated.
local function stored(value, dtype)
  if torch.is_tensor(value) then value = value:item() end
  if dtype == torch.bool then return value and value ~= 0 and value ~= "" end
  if type(value) == "boolean" then value = value and 1 or 0 end
  local whole = not dtype.is_floating_point
  if type(value) ~= "number" then
    fail("TypeError", whole and "'%s' object cannot be interpreted as an integer" or "must be real number, not %s", type_of(value))
  end
  if not whole or math.type(value) == "integer" then return value end
  if value ~= value then fail("ValueError", "cannot convert float NaN to integer") end
  local cut = math.tointeger(value < 0 and math.ceil(value) or math.floor(value))
  if not cut then fail("OverflowError", "cannot convert float %s to integer", value - value ~= 0 and "infinity" or ("%.17g"):format(value)) end
  return cut
end

-- Replaces self's elements by callable(element, the elements of others at its place).
local function run(name, callable, self, ...)
  local all = {self, ...}
  for _, t in ipairs(all) do
    if t.requires_grad then
      fail("RuntimeError", "Can't call %s() on Variable that requires grad. Use var.detach().%s() instead.", name, name)
    end
  end
  if self.is_meta or self:numel() == 0 then return self end
  for i, t in ipairs(all) do
    if t.device.type ~= "cpu" then fail("TypeError", "%s is only implemented on CPU tensors", name) end
    all[i] = t:expand(self.shape):reshape(-1):tolist()
  end
  if torch.is_tensor(callable) or type(callable) ~= "function" and not (getmetatable(callable) or {}).__call then
    fail("TypeError", "'%s' object is not callable", torch.is_tensor(callable) and "Tensor" or type_of(callable))
  end
  local results = {}
  for k = 1, #all[1] do
    local values = {}
    for i = 1, #all do values[i] = all[i][k] end
    results[k] = stored(callable(table.unpack(values, 1, #all)), self.dtype)
  end
  self.data:copy_(torch.tensor(results, {dtype = self.dtype}):reshape(self.shape)) -- which PyTorch does not count as a change, either
  return self
end

local function check_type(self, other, text)
  if other.dtype ~= self.dtype then fail("TypeError", text, self:type(), other:type()) end
end

function apply.apply_(self, ...)
  local n = select("#", ...)
  if n ~= 1 then fail("TypeError", "Tensor.apply_() takes exactly one argument (%d given)", n) end
  return run("apply_", (...), self)
end

local function check_given(name, callable)
  if callable == nil then fail("TypeError", '%s() missing 1 required positional arguments: "callable"', name) end
end

local read_map = torch._define "map_(Tensor other, callable?)"
function apply.map_(self, ...)
  local a = read_map(...)
  check_given("map_", a.callable)
  check_type(self, a.other, "map_: expected %s for 'other' (got %s)")
  return run("map_", a.callable, self, a.other)
end

local read_map2 = torch._define "map2_(Tensor x, Tensor y, callable?)"
function apply.map2_(self, ...)
  local a = read_map2(...)
  check_given("map2_", a.callable)
  check_type(self, a.x, "map2_: expected %s for argument 'x' (got %s)")
  check_type(self, a.y, "map2_: expected %s for argument 'y' (got %s)")
  return run("map2_", a.callable, self, a.x, a.y)
end

return apply
