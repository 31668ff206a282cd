-- duck.lua: the length and the samples of a value that serves as a data set. A
-- data set is anything that has a length and items:
--
--   a Dataset, a tensor, an array of numpy        #d, d[i]
--   a plain table, or one with a metatable that holds values alone     a list: #d, its values from 1
--   a table with getitem (or __getitem__), and __len (or __len__, len), its own or its class's     d:getitem(i), i from 0
--   a table whose metatable has __len and a function __index           #d, d[i], i from 0
local torch = ...
local support = torch._part "support"
local fail = support.fail
local duck = {}

local HINT = "a data set has a length and items: function Set:__len() return n end, function Set:getitem(i) ... end, i from 0"

local STREAM = HINT .. "; a source without a length: Stream = torch.utils.data.IterableDataset:extend \"Stream\", "
  .. "function Stream:iter() return coroutine.wrap(...) end, and Stream() for the loader"

-- Returns the results of getitem as one sample.
function duck.sample_of(...)
  if select("#", ...) < 2 then return (...) end
  return {...}
end

function duck.list_item(list, i)
  local n = #list
  if math.type(i) ~= "integer" then
    fail("TypeError", "list indices must be integers or slices, not %s", torch._python_type(i))
  end
  if i < -n or i >= n then fail("IndexError", "list index out of range") end
  return list[(i < 0 and i + n or i) + 1]
end

-- Returns the function of a table, or of its class, that has the first of these names.
local function method(value, ...)
  for _, name in ipairs{...} do
    local ok, f = pcall(function() return value[name] end)   -- an __index that takes numbers alone raises
    if ok and type(f) == "function" then return f end
  end
end

-- Returns the functions for a table's length and items, {length = f, item = f}: its methods, those of its metatable, or those of a list.
local function ways_of(value)
  local metatable = getmetatable(value)
  local events = type(metatable) == "table" and metatable or {}
  local length = not events.__len and method(value, "__len", "__len__", "len")
  local get = method(value, "getitem", "__getitem__", "__getitem")
  local ways = {length = length or function(v) return #v end}
  if get then
    ways.item = function(v, i) return duck.sample_of(get(v, i)) end
    if not (length or events.__len) then ways.length = nil end   -- a table without __len has the length 0
  elseif type(events.__index) == "function" then
    ways.item = function(v, i) return v[i] end
  elseif rawlen(value) > 0 or not (events.__len or length) then
    ways.item = duck.list_item
  end
  return ways
end

local known = setmetatable({}, {__mode = "k"})   -- table -> its ways

-- Returns the ways of a table, or nil if # and [i] already work as a data set needs: classes of torch, arrays, userdata.
local function ways(value)
  if type(value) ~= "table" or support.class_of(value) or support.is_array(value) then return nil end
  if not known[value] then known[value] = ways_of(value) end
  return known[value]
end

--- Returns true if a plain table is a data set by the functions in it.
function duck.has_methods(value)
  return support.is_plain(value) and method(value, "getitem", "__getitem__") ~= nil
end

--- Returns how many samples a data set has.
function duck.length(value)
  local how = ways(value)
  if how and how.length then return how.length(value) end
  local kind = type(value)
  if kind == "function" or kind == "thread" then torch._raise("TypeError", ("object of type '%s' has no len()"):format(kind), STREAM) end
  if how or kind ~= "table" and kind ~= "userdata" and kind ~= "string" then
    torch._raise("TypeError", ("object of type '%s' has no len()"):format(torch._python_type(value)), HINT)
  end
  return #value
end

--- Returns sample i of a data set, from 0.
function duck.item(value, i)
  local how = ways(value)
  if how and how.item then return how.item(value, i) end
  if how or type(value) ~= "table" and type(value) ~= "userdata" then
    torch._raise("TypeError", ("'%s' object is not subscriptable"):format(torch._python_type(value)), HINT)
  end
  return value[i]
end

return duck
