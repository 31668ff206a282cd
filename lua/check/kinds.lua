-- kinds.lua: the types of tocha --check, which tell what is known of a value. A type is a table {kind = ...}, or nil if nothing is known. Kinds:
--   tensor (dtype and sizes if known)   number (int: true, false or unknown; value)   string (value)   boolean   nil   never   size
--   table (node)   list (of)   function (node)   iterator (of: the types of its values)   value (a value of torch or Lua, its path)
--   class (node)   instance (class)   module, optimizer, dataset, loader, object (class: their value)   arguments (the global arg)
-- maybe: the value may be nil or false instead.
local torch = ...

local never, unknown_number = {kind = "never"}, {kind = "number"}
local integer, float, text, boolean = {kind = "number", int = true}, {kind = "number", int = false}, {kind = "string"}, {kind = "boolean"}
local maybe_text = {kind = "string", maybe = true}

--- Returns the type of a tensor. A dtype or sizes that are nil are not known.
local function tensor(dtype, sizes) return {kind = "tensor", dtype = dtype, sizes = sizes} end

local function sizes_of(value)
  local sizes = {}
  if torch.nn.parameter.is_lazy(value) then return nil end
  for i, n in pairs(value.shape) do sizes[i + 1] = n end
  return sizes
end

--- Returns the type of a result of a call on samples. vague: sizes of a sample were made up; undated: a dtype was.
local function classify(value, vague, undated)
  if torch.is_tensor(value) then return tensor(not undated and value.dtype or nil, not vague and sizes_of(value) or nil) end
  local kind = type(value)
  if kind == "number" then return math.type(value) == "integer" and integer or float end
  if kind == "string" then return text elseif kind == "boolean" then return boolean elseif kind == "nil" then return {kind = "nil"} end
  if kind == "userdata" and tostring(value):find "^torch%.Size" then return {kind = "size"} end
  if kind == "table" and getmetatable(value) == nil and torch.is_tensor(value[1]) then
    return {kind = "list", of = classify(value[1], true, undated)}
  end
end

local function same_sizes(a, b)
  if not a.sizes or not b.sizes or #a.sizes ~= #b.sizes then return nil end
  for i, n in ipairs(a.sizes) do if n ~= b.sizes[i] then return nil end end
  return a.sizes
end

--- Returns the type of a value that is of type t or nil.
local function maybe(t)
  if not t or t.maybe or t.kind == "never" then return t end
  local out = {}
  for key, value in next, t do out[key] = value end
  out.maybe = true
  return out
end

--- Returns the type of a value that is of type a or b, or nil if they have too little in common.
local function union(a, b)
  if not a or not b then return nil end
  if a.kind == "never" then return b elseif b.kind == "never" then return a end
  if a.kind == "nil" then return maybe(b) elseif b.kind == "nil" then return maybe(a) end
  if a.kind ~= b.kind then return nil end
  local out
  if a == b or a.kind == "size" or a.kind == "dataset" then
    out = a
  elseif a.kind == "tensor" then
    out = tensor(a.dtype == b.dtype and a.dtype or nil, same_sizes(a, b))
  elseif a.kind == "number" then
    out = a.int == b.int and {kind = "number", int = a.int} or unknown_number
  elseif a.kind == "string" or a.kind == "boolean" then
    out = {kind = a.kind}
  elseif a.kind == "list" or a.kind == "iterator" then
    return nil
  elseif a.value ~= b.value or a.node ~= b.node or a.class ~= b.class then
    return nil
  else
    out = a
  end
  return (a.maybe or b.maybe) and maybe(out) or out
end

return {never = never, unknown_number = unknown_number, integer = integer, float = float, text = text, boolean = boolean, maybe_text = maybe_text,
  tensor = tensor, classify = classify, maybe = maybe, union = union}
