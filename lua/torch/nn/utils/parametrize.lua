-- nn/utils/parametrize.lua: torch.nn.utils.parametrize: parameters that are computed from others each time they are read.
-- module.parametrizations.NAME contains the modules that compute module.NAME, and their inputs. The binding calls it whenever
-- module.NAME is read or assigned to.
local torch = ...
local support = torch._part "support"
local nn, fail = torch.nn, support.fail
local parametrize = {}

-- --- the list ----------------------------------------------------------------------------------------------

local cached, cache = 0, {}

local List = nn.ModuleList:extend "ParametrizationList"
parametrize.ParametrizationList = List

local function has_inverse(module) return module.right_inverse ~= nil end

-- Returns the value to store so that the modules compute the tensor: one tensor, or several in a table.
local function inverse_of(list, value)
  for i = #list - 1, 0, -1 do
    if has_inverse(list[i]) then
      value = table.pack(list[i]:right_inverse(value))
      if value.n == 1 then value = value[1] end
    end
  end
  return value
end

local function store(list, name, tensor, like)
  if torch._is_parameter(like) then
    list:register_parameter(name, nn.Parameter(tensor, like.requires_grad))
  else
    list:register_buffer(name, tensor)
  end
end

function List:init(modules, original, unsafe)
  nn.ModuleList.init(self, modules)
  self.unsafe = unsafe
  local value = torch.no_grad(function() return inverse_of(self, original) end)
  self.is_tensor = torch.is_tensor(value)
  if self.is_tensor then
    if not rawequal(value, original) then original.data = value end
    if torch._is_parameter(original) then self:register_parameter("original", original) else self:register_buffer("original", original) end
  else
    self.ntensors = #value
    for i, t in ipairs(value) do store(self, "original" .. i - 1, t, original) end
  end
end

local function compute(self)
  local values = {}
  if self.is_tensor then
    values[1] = self.original
  else
    for i = 1, self.ntensors do values[i] = self["original" .. i - 1] end
  end
  local x = self[0](table.unpack(values))
  for i = 1, #self - 1 do x = self[i](x) end
  return x
end

function List:forward()
  if cached == 0 then return compute(self) end
  cache[self] = cache[self] or compute(self)
  return cache[self]
end

--- Assigns module.NAME = value: stores the tensors from which the value is computed.
function List:right_inverse(value)
  local _ <close> = torch.no_grad()
  local stored = inverse_of(self, value)
  if self.is_tensor then
    if stored.dtype ~= self.original.dtype then
      fail("ValueError", "The tensor `parametrization.right_inverse` returned dtype %s while `original` has dtype %s", tostring(stored.dtype),
        tostring(self.original.dtype))
    end
    self.original.data = stored
  else
    for i, t in ipairs(stored) do self["original" .. i - 1].data = t end
  end
end

-- --- registering -------------------------------------------------------------------------------------------

--- Returns true if any tensor of a module, or the one of that name, is computed.
function parametrize.is_parametrized(module, tensor_name)
  local lists = torch._fields(module).parametrizations or module.parametrizations
  if lists == nil then return false end
  if tensor_name == nil then return #lists > 0 end
  return lists[tensor_name] ~= nil
end

local function own_tensor(module, name)
  for n, t in module:named_parameters("", false) do if n == name then return t end end
  for n, t in module:named_buffers("", false) do if n == name then return t end end
end

local function check_result(module, name, before, parametrization)
  local after = module[name]
  if not torch.is_tensor(after) then
    fail("ValueError", "A parametrization must return a tensor. Got %s.", torch._python_type(after))
  end
  if after.dtype ~= before.dtype or after.shape ~= before.shape then
    local what = after.dtype ~= before.dtype and "dtype" or "shape"
    torch._remove_member(module.parametrizations, name)
    module:register_parameter(name, before)
    fail("ValueError", "Registering a parametrization may not change the %s of the tensor, unless `unsafe` flag is enabled.\nunparametrized " ..
      "%s: %s\nparametrized %s: %s", what, what, tostring(before[what]), what, tostring(after[what]), parametrization)
  end
end

parametrize.register_parametrization = torch._define("register_parametrization(module, tensor_name, parametrization, *, unsafe=false)",
  function(module, tensor_name, parametrization, unsafe)
    parametrization:train(module.training)
    if parametrize.is_parametrized(module, tensor_name) then
      local list = module.parametrizations[tensor_name]
      local before = torch.no_grad(function() return module[tensor_name] end)
      list:append(parametrization)
      if has_inverse(parametrization) then list:right_inverse(before) end
      return module
    end
    local original = own_tensor(module, tensor_name)
    if not original then
      fail("ValueError", "Module '%s' does not have a parameter, a buffer, or a parametrized element with name '%s'", tostring(module), tensor_name)
    end
    local before = torch.no_grad(function() return original:detach() end)
    local list = List({parametrization}, original, unsafe)
    torch._remove_member(module, tensor_name)
    if module.parametrizations == nil then
      module.parametrizations = nn.ModuleDict()
      torch._compute_members(module, "Parametrized" .. module:_get_name())
    end
    module.parametrizations[tensor_name] = list
    if not unsafe then torch.no_grad(function() check_result(module, tensor_name, before, parametrization) end) end
    return module
  end)

parametrize.remove_parametrizations = torch._define("remove_parametrizations(module, tensor_name, leave_parametrized=true)",
  function(module, tensor_name, leave_parametrized)
    if not parametrize.is_parametrized(module, tensor_name) then
      fail("ValueError", "Module %s does not have a parametrization on %s", tostring(module), tensor_name)
    end
    local list = module.parametrizations[tensor_name]
    local original
    if leave_parametrized then
      local value = torch.no_grad(function() return list():detach() end)
      original = list.is_tensor and list.original or nn.Parameter(value, list.original0.requires_grad)
      if list.is_tensor then original.data = value end
    elseif list.is_tensor then
      original = list.original
    else
      fail("ValueError", "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of tensors.")
    end
    torch._remove_member(module.parametrizations, tensor_name)
    if torch._is_parameter(original) then module:register_parameter(tensor_name, original) else module:register_buffer(tensor_name, original) end
    if #module.parametrizations == 0 then
      torch._remove_member(module, "parametrizations")
      torch._compute_members(module, (module:_get_name():gsub("^Parametrized", "")))
    end
    return module
  end)

--- Starts a block within which every parametrization is computed once: `local _ <close> = parametrize.cached()`.
function parametrize.cached(f)
  cached = cached + 1
  return support.guarded(function()
    cached = cached - 1
    if cached == 0 then cache = {} end
  end, f)
end

return torch._namespace(parametrize, "torch.nn.utils.parametrize")
