-- serialization/objects.lua: represents Python values that have no type of their own in Lua: objects of unknown classes, and
-- tensors of types that Tocha lacks. They are only read from files, never created in Lua.
local torch = ...
local fail = torch._part "support".fail

local objects = {}

-- --- objects ------------------------------------------------------------------------------------------------

-- Returns a part of an object if it is a table, else an empty table, because files may hold anything.
local function table_of(part) return type(part) == "table" and part or {} end

-- Adds the tensors of a module that was saved whole to the dict: its parameters and buffers, then those of its children.
local function collect(module, prefix, dict, seen)
  local state = type(module) == "table" and rawget(module, "state")
  if type(state) ~= "table" or seen[module] then return end
  seen[module] = true
  local left_out = {}
  for _, name in ipairs(table_of(state._non_persistent_buffers_set)) do left_out[name] = true end
  for _, members in ipairs{"_parameters", "_buffers"} do
    for name, tensor in pairs(table_of(state[members])) do
      if tensor ~= nil and not (members == "_buffers" and left_out[name]) then dict[prefix .. tostring(name)] = tensor end
    end
  end
  for name, child in pairs(table_of(state._modules)) do collect(child, prefix .. tostring(name) .. ".", dict, seen) end
end

-- Returns the state dict of an optimizer that was saved whole. Parameters are numbered in the order of the groups.
local function optimizer_state(state, types)
  local numbers, count, groups, states = {}, 0, {}, types.dict()
  for i, group in ipairs(table_of(state.param_groups)) do
    local copy, params = types.dict(), {}
    for k, parameter in ipairs(table_of(table_of(group).params)) do
      if not numbers[parameter] then numbers[parameter], count = count, count + 1 end
      params[k] = numbers[parameter]
    end
    for key, value in pairs(table_of(group)) do copy[key] = key == "params" and params or value end
    groups[i] = copy
  end
  for parameter, values in pairs(table_of(state.state)) do states[numbers[parameter] or parameter] = values end
  return types.dict{{"state", states}, {"param_groups", groups}}
end

local function state_dict_of(types)
  return function(object)
    local state = rawget(object, "state")
    if type(state) ~= "table" then fail("TypeError", "a '%s' has no tensors to collect", tostring(object.class)) end
    if state.param_groups then return optimizer_state(state, types) end
    if not state._parameters and not state._modules then
      fail("TypeError", "a '%s' is neither a module nor an optimizer: it has no tensors to collect", tostring(object.class))
    end
    local dict = types.OrderedDict()
    collect(object, "", dict, {})
    return dict
  end
end

-- Returns a function that shows an object as the Python call that makes it. For a module or an optimizer it shows only the class.
local function show_object(repr)
  return function(object, seen)
    if rawget(object, "global") then return ("<global %s>"):format(object.global) end
    local name, state, parts = object.class, rawget(object, "state"), {}
    if type(name) ~= "string" then name = repr(name, seen) end   -- the called value is itself the result of a call
    if type(state) == "table" and (state._parameters or state.param_groups) then return ("<%s; state_dict() collects its tensors>"):format(name) end
    for _, part in ipairs{"args", "items"} do
      for _, value in ipairs(table_of(rawget(object, part))) do parts[#parts + 1] = repr(value, seen) end
    end
    for _, part in ipairs{"kwargs", "entries", "state"} do
      local entries = rawget(object, part)
      if type(entries) ~= "table" and entries ~= nil then parts[#parts + 1] = repr(entries, seen) end
      for key, value in pairs(table_of(entries)) do
        parts[#parts + 1] = ("%s=%s"):format(tostring(key), repr(value, seen))
      end
    end
    return ("%s(%s)"):format(name, table.concat(parts, ", "))
  end
end

-- Reads object.lr as object.state.lr, or as an entry of a class of dicts; object[1] is an argument, or an item of a class of
-- lists.
local function index_of(state_dict)
  return function(object, key)
    local parts = math.type(key) == "integer" and {"items", "args"} or {"state", "entries"}
    for _, name in ipairs(parts) do
      local part = rawget(object, name)
      if type(part) == "table" and part[key] ~= nil then return part[key] end
    end
    if key == "state_dict" then return state_dict end
  end
end

-- --- tensors of types that Tocha lacks -----------------------------------------------------------------------

local missing = {__name = "missing tensor"}
local function refuse(tensor)
  local is_missing = getmetatable(tensor) == missing
  torch._raise("NotImplementedError", ("the tensor is of type %s, which Tocha lacks"):format(is_missing and rawget(tensor, 1) or "another"),
    "in Python, convert it before saving: x.to(torch.float32), torch.view_as_real(x), x.dequantize(), x.to_dense(), x.resolve_neg()")
end
for _, event in ipairs{"index", "newindex", "call", "len", "unm", "pairs"} do missing["__" .. event] = refuse end
for _, event in ipairs{"add", "sub", "mul", "div", "mod", "pow", "idiv", "band", "bor", "bxor", "shl", "shr", "lt", "le"} do
  missing["__" .. event] = function(a, b) return refuse(getmetatable(a) == missing and a or b) end
end
function missing.__tostring(tensor) return ("<tensor of type %s, which Tocha lacks>"):format(rawget(tensor, 1)) end
function missing.__concat(a, b) return tostring(a) .. tostring(b) end

--- Adds the constructors of these values to `types`, with its metatables and functions.
function objects.install(types, metatable_of, metatables, repr)
  metatables.object = metatable_of("object", show_object(repr), {__index = index_of(state_dict_of(types))})
  function types.array(tensor) return torch.numpy._wrap(tensor) end
  function types.missing(text) return setmetatable({text}, missing) end
end

return objects
