-- serialization/types.lua: represents Python's collections in Lua, so that saving them again gives the same types.
--
--   dict, OrderedDict   tables that keep the order of their keys: pairs walks it, # counts entries; an entry that is None is nil, but
--                       stays an entry
--   list                a plain table; an empty one, or one with None in it, is a table that is marked as a list
--   tuple, set          tables that are marked with their type; items count from 1
--   bytes               a table with the string in it: tostring(b), #b
--   None as a key       types.None
--   object              a table of the parts that a file has of an object of an unknown class (objects.lua)
--
-- A plain table is saved as a list if its keys are 1 .. n, else as a dict with its keys sorted, because a plain table has no order.
local torch = ...
local support = torch._part "support"

local types = {}

-- Notes about tables, beside their entries: the keys of a dict in order, the number of items of a list.
local notes = setmetatable({}, {__mode = "k"})

types.None = setmetatable({}, {__name = "NoneType", __tostring = function() return "None" end})

-- --- in Python's words ------------------------------------------------------------------------------------

local repr

local function quoted(text)
  local quote = text:find("'", 1, true) and not text:find('"', 1, true) and '"' or "'"
  return quote .. text:gsub("\\", "\\\\"):gsub("\n", "\\n"):gsub(quote, "\\" .. quote) .. quote
end

local function joined(t, n, seen)
  local parts = {}
  for i = 1, n do parts[i] = repr(t[i], seen) end
  return table.concat(parts, ", ")
end

local function entries(t, format, seen)
  local parts = {}
  for key, value in pairs(t) do parts[#parts + 1] = format:format(repr(key, seen), repr(value, seen)) end
  return table.concat(parts, ", ")
end

local function show_table(t, seen)
  local metatable = getmetatable(t)
  if metatable and metatable.show then return metatable.show(t, seen) end
  if metatable then return tostring(t) end
  if #t > 0 then return "[" .. joined(t, #t, seen) .. "]" end
  return "{" .. entries(t, "%s: %s", seen) .. "}"
end

function repr(value, seen)
  if type(value) == "string" then return quoted(value) end
  if type(value) ~= "table" then return support.python(value) end
  if seen[value] then return "..." end
  seen[value] = true
  local text = show_table(value, seen)
  seen[value] = nil
  return text
end

local function metatable_of(name, show, events)
  events.__name = name
  events.show = show
  events.__tostring = function(t) return show(t, {[t] = true}) end
  events.__concat = function(a, b) return tostring(a) .. tostring(b) end
  return events
end

-- --- dicts --------------------------------------------------------------------------------------------------

local function note_of(t)
  local note = notes[t] or {keys = {}, none = {}}   -- a table that got its metatable elsewhere
  notes[t] = note
  return note
end

-- Returns the keys in order, without removed ones. A key that was removed and set again is the last.
local function live_keys(t)
  local note = note_of(t)
  local keys, known = {}, {}
  for i = #note.keys, 1, -1 do
    local key = note.keys[i]
    if not known[key] and (rawget(t, key) ~= nil or note.none[key]) then
      known[key] = true
      keys[#keys + 1] = key
    end
  end
  for i = 1, #keys // 2 do keys[i], keys[#keys + 1 - i] = keys[#keys + 1 - i], keys[i] end
  for key in next, t do
    if not known[key] then keys[#keys + 1] = key end   -- set by rawset
  end
  note.keys = keys
  return keys
end

local dict_events = {
  __newindex = function(t, key, value)
    local note = note_of(t)
    note.none[key] = value == nil and note.none[key] or nil
    rawset(t, key, value)
    if value ~= nil then note.keys[#note.keys + 1] = key end
  end,
  __pairs = function(t)
    local keys, i = live_keys(t), 0
    return function()
      i = i + 1
      local key = keys[i]
      if key ~= nil then return key, rawget(t, key) end
    end
  end,
  __len = function(t) return #live_keys(t) end,
}

local function with_dict_events()
  local events = {}
  for name, event in pairs(dict_events) do events[name] = event end
  return events
end

-- Returns true if the dict has the key, perhaps for a value that is None.
local function has(t, key) return rawget(t, key) ~= nil or note_of(t).none[key] == true end

local function remove(t, key)
  note_of(t).none[key] = nil
  rawset(t, key, nil)
end

-- Adds an entry after the others.
local function append(t, key, value)
  remove(t, key)
  local note = note_of(t)
  for i, known in ipairs(note.keys) do
    if known == key then
      table.remove(note.keys, i)
      break
    end
  end
  note.keys[#note.keys + 1] = key
  if value == nil then note.none[key] = true else rawset(t, key, value) end
end

local function each(t, value_of)
  local keys, i = live_keys(t), 0
  return function()
    i = i + 1
    if keys[i] ~= nil then return value_of(keys[i]) end
  end
end

local function key_error(text) return support.fail("KeyError", "%s", text) end

-- The methods of an OrderedDict, by their names in Python. An entry of that name takes precedence.
local methods = {}
function methods.keys(t) return each(t, function(key) return key end) end
function methods.values(t) return each(t, function(key) return rawget(t, key) end) end
function methods.items(t) return each(t, function(key) return key, rawget(t, key) end) end
function methods.get(t, key, default)
  if has(t, key) then return rawget(t, key) end
  return default
end
function methods.setdefault(t, key, default)
  if not has(t, key) then append(t, key, default) end
  return rawget(t, key)
end
function methods.pop(t, key, ...)
  if not has(t, key) then
    if select("#", ...) == 0 then key_error(repr(key, {})) end
    return (...)
  end
  local value = rawget(t, key)
  remove(t, key)
  return value
end
function methods.popitem(t, last)
  local keys = live_keys(t)
  local key = keys[last == false and 1 or #keys]
  if key == nil then key_error "'dictionary is empty'" end
  return key, methods.pop(t, key)
end
function methods.move_to_end(t, key, last)
  if not has(t, key) then key_error(repr(key, {})) end
  append(t, key, rawget(t, key))
  if last ~= false then return end
  local keys = live_keys(t)
  table.insert(keys, 1, table.remove(keys))
end
function methods.update(t, other)
  for key, value in pairs(other) do t[key] = value end
end
function methods.clear(t)
  for _, key in ipairs(live_keys(t)) do remove(t, key) end
end
function methods.copy(t)
  local copy, attributes = types.OrderedDict(), note_of(t).attributes
  for key, value in pairs(t) do append(copy, key, value) end
  note_of(copy).attributes = attributes
  return copy
end
function methods.fromkeys(_, keys, value)
  local t = types.OrderedDict()
  for _, key in ipairs(keys) do append(t, key, value) end
  return t
end

-- Reads and sets the attributes that an OrderedDict has beside its entries by their names: state._metadata.
local ordered_events = with_dict_events()
function ordered_events.__index(t, key)
  local attributes = note_of(t).attributes
  local attribute = attributes and attributes[key]
  if attribute ~= nil then return attribute end
  return not note_of(t).none[key] and methods[key] or nil
end
function ordered_events.__newindex(t, key, value)
  if key ~= "_metadata" then return dict_events.__newindex(t, key, value) end
  note_of(t).attributes = note_of(t).attributes or {}
  note_of(t).attributes[key] = value
end

local metatables = {
  dict = metatable_of("dict", function(t, seen) return "{" .. entries(t, "%s: %s", seen) .. "}" end, with_dict_events()),
  OrderedDict = metatable_of("OrderedDict", function(t, seen)
    return #t == 0 and "OrderedDict()" or "OrderedDict([" .. entries(t, "(%s, %s)", seen) .. "])"
  end, ordered_events),
}

-- --- lists and the like -------------------------------------------------------------------------------------

local function length(t) return math.max(notes[t] or 0, rawlen(t)) end

metatables.list = metatable_of("list", function(t, seen) return "[" .. joined(t, #t, seen) .. "]" end, {__len = length})
metatables.tuple = metatable_of("tuple", function(t, seen)
  return "(" .. joined(t, #t, seen) .. (#t == 1 and ",)" or ")")
end, {__len = length})
metatables.set = metatable_of("set", function(t, seen)
  return #t == 0 and "set()" or "{" .. joined(t, #t, seen) .. "}"
end, {__len = length})
metatables.bytes = metatable_of("bytes", function(t) return "b" .. quoted(t[1]) end,
  {__len = function(t) return #t[1] end, __eq = function(a, b) return a[1] == b[1] end})
metatables.bytes.__tostring = function(t) return t[1] end

torch._part "serialization.objects".install(types, metatable_of, metatables, repr)

-- --- making them ------------------------------------------------------------------------------------------------

--- Marks a filled table as one of kind `kind`. noted: the keys of a dict in order, or the number of items; attributes: a
-- table.
function types.make(kind, t, noted, attributes)
  if kind == "dict" or kind == "OrderedDict" then
    local none = {}
    for _, key in ipairs(noted) do
      if rawget(t, key) == nil then none[key] = true end
    end
    notes[t] = {keys = noted, none = none, attributes = attributes}
  else
    if kind == "list" and noted > 0 and rawlen(t) == noted then return t end
    if kind ~= "object" then notes[t] = noted end
  end
  return setmetatable(t, metatables[kind])
end

local function entries_of(kind)
  return function(pairs_or_table)
    local t = types.make(kind, {}, {})
    for key, value in pairs(pairs_or_table or {}) do
      if support.is_plain(pairs_or_table) and math.type(key) == "integer" and type(value) == "table" then
        key, value = value[1], value[2]
      end
      if value == nil then
        local note = notes[t]
        note.keys[#note.keys + 1], note.none[key] = key, true
      else
        t[key] = value
      end
    end
    return t
  end
end

--- dict{{key, value}, ...} returns a dict with its keys in that order. A key without a value has None.
types.dict = entries_of "dict"
types.OrderedDict = entries_of "OrderedDict"

local function items_of(kind)
  return function(items)
    local t = table.move(items or {}, 1, #(items or {}), 1, {})
    notes[t] = items and items.n or #t
    return setmetatable(t, metatables[kind])
  end
end

--- tuple{1, 2}, list{}, set{"a"} return tables of their kinds; with None: tuple(table.pack(1, nil)).
types.tuple = items_of "tuple"
types.list = items_of "list"
types.set = items_of "set"
function types.bytes(text) return setmetatable({text}, metatables.bytes) end

--- Returns the attributes that an OrderedDict has beside its entries, such as a state dict's _metadata.
function types.attributes(t) return notes[t] and notes[t].attributes end

-- --- describing them ---------------------------------------------------------------------------------------------

local ranks = {number = 1, string = 2, boolean = 3}
local function before(a, b)
  local x, y = ranks[type(a)] or 4, ranks[type(b)] or 4
  if x ~= y then return x < y end
  if x <= 2 then return a < b end
  return tostring(a) < tostring(b)
end

local function sorted_keys(t)
  local keys = {}
  for key in next, t do keys[#keys + 1] = key end
  table.sort(keys, before)
  return keys
end

-- Returns true if the keys of a table are 1 .. n with n > 0.
local function is_list(t)
  local n = rawlen(t)
  if n == 0 then return false end
  local count = 0
  for key in next, t do
    if math.type(key) ~= "integer" or key < 1 or key > n then return false end
    count = count + 1
  end
  return count == n
end

--- Describes how a table is saved: its kind, the number of its items or the list of its keys, and its attributes. Returns nil if
-- no file can contain it.
function types.describe(t)
  local metatable = getmetatable(t)
  local kind = type(metatable) == "table" and metatable.__name
  if kind and metatables[kind] == metatable and kind ~= "object" then
    if kind == "bytes" then return kind, t[1] end
    if kind == "dict" or kind == "OrderedDict" then return kind, live_keys(t), notes[t].attributes end
    return kind, #t
  end
  if metatable ~= nil and (kind or type(metatable) ~= "table" or metatable.__index) then return nil end   -- an object
  local json = metatable and rawget(metatable, "__jsontype")   -- dkjson tells empty arrays from empty objects
  if is_list(t) and json ~= "object" or json == "array" then return "list", rawlen(t) end
  return "dict", sorted_keys(t)
end

return types
