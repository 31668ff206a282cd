-- deepcopy.lua: torch.deepcopy: a copy of a tensor, a module or a table and of everything in it. A value that occurs several
-- times (tied weights) is copied once.
local torch = ...
local support = torch._part "support"
local copy

local function copy_uninitialized(t, seen)
  local parameter = torch.nn.parameter
  local make = torch._is_parameter(t) and parameter.UninitializedParameter or parameter.UninitializedBuffer
  seen[t] = make(t.requires_grad, t.device, t.dtype)
  return seen[t]
end

local function copy_tensor(t, seen)
  if torch.nn.parameter.is_lazy(t) then return copy_uninitialized(t, seen) end
  if not t.is_leaf then
    support.fail("RuntimeError", "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you were " ..
      "attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see " ..
      "https://github.com/pytorch/pytorch/pull/103001")
  end
  local grad = t.grad
  local out = torch.no_grad(function() return t:detach():clone() end)
  if torch._is_parameter(t) then
    out = torch.nn.Parameter(out, t.requires_grad)
  else
    out:requires_grad_(t.requires_grad)
  end
  seen[t] = out
  if grad then out.grad = copy(grad, seen) end
  return out
end

local function copy_module(module, seen)
  local tensors, copies, modules = {}, {}, {}
  for _, walk in ipairs{"parameters", "buffers"} do
    for t in module[walk](module) do
      tensors[#tensors + 1], copies[#tensors + 1] = t, copy(t, seen)
    end
  end
  for m in module:modules() do modules[#modules + 1] = m end
  local out, i = torch._replicate(module, tensors, copies), 0
  for m in out:modules() do
    i = i + 1
    seen[modules[i]] = m
  end
  for m in out:modules() do
    local fields = torch._fields(m)
    for key, value in pairs(fields) do fields[key] = copy(value, seen) end
  end
  return out
end

local function copy_state(state, seen)
  local out = torch._module_state.part(state, "")
  seen[state] = out
  for name, value in pairs(state) do out[name] = copy(value, seen) end
  out._metadata = state._metadata
  return out
end

-- Copies the order, the Nones and the attributes that a table from a checkpoint has (lua/parts/serialization/types.lua).
local function note_kind(t, out, seen)
  local types = torch._part "serialization.types"
  local kind, noted, attributes = types.describe(t)
  if kind == "bytes" then return t end
  local keys = noted
  if type(noted) == "table" then
    keys = {}
    for i, key in ipairs(noted) do keys[i] = copy(key, seen) end
  end
  return types.make(kind, out, keys, copy(attributes, seen))
end

local function copy_table(t, seen)
  local out, metatable = {}, getmetatable(t)
  seen[t] = out
  for key, value in next, t do out[copy(key, seen)] = copy(value, seen) end
  if metatable and metatable.show then return note_kind(t, out, seen) end
  return setmetatable(out, metatable)
end

function copy(value, seen)
  local kind = type(value)
  if kind ~= "table" and kind ~= "userdata" then return value end
  if seen[value] ~= nil then return seen[value] end
  if torch.is_tensor(value) then return copy_tensor(value, seen) end
  if torch.nn.Module.isinstance(value, torch.nn.Module) then return copy_module(value, seen) end
  if kind == "userdata" and torch._python_type(value) == "torch.OrderedDict" then return copy_state(value, seen) end
  local metatable = getmetatable(value)
  local class = kind == "table" and rawget(value, "__name") and rawget(value, "__module")
  if kind == "userdata" or class or metatable ~= nil and type(metatable) ~= "table" then return value end   -- a dtype, a class
  if metatable and metatable.__name == "NoneType" then return value end
  if metatable and metatable.class and metatable.class.__deepcopy then
    local out = metatable.class.__deepcopy(value, function(x) return copy(x, seen) end)
    seen[value] = out
    return out
  end
  return copy_table(value, seen)
end

return function(value) return copy(value, {}) end
