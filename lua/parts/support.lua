-- support.lua: functions that the parts written in Lua share: errors, classes, loops over objects.
local torch = ...
local support = {}

--- Raises an error in PyTorch's words: kind "ValueError", "TypeError", ...; the rest as in string.format.
function support.fail(kind, format, ...)
  return torch._raise(kind, select("#", ...) > 0 and format:format(...) or format)
end

--- Raises if a list of numbers, an argument of a function, contains a string.
function support.check_numbers(name, argument, list)
  for i, value in ipairs(type(list) == "table" and list or {}) do
    if type(value) == "string" then
      torch._raise("TypeError", ("%s(): argument '%s' must be a list of numbers, but found element of type str at pos %d"):format(name, argument, i - 1),
        torch._number_hint(value))
    end
  end
end

--- Raises an error again, with the file that it is about in its hint.
function support.in_file(path, err)
  if type(err) ~= "table" or not err.message or err.message:find(path, 1, true) or err.hint and err.hint:find(path, 1, true) then
    error(err, 0)
  end
  torch._raise(err.code, err.message, ("the file is '%s'%s"):format(path, err.hint and "; " .. err.hint or ""))
end

--- Writes a file that replaces the old one once it is complete. If the process is killed at any time, either the old or the new
-- file is there.
function support.write_whole(path, bytes)
  local file <close> = torch._io.new_file(path)
  local ok, message = file:write(bytes)
  if not ok then support.fail("OSError", "cannot write '%s': %s", path, message) end
  torch._io.keep_file(file)
end

--- Returns true if a value is a table without a metatable.
local function is_plain(value) return type(value) == "table" and getmetatable(value) == nil end
support.is_plain = is_plain

--- Returns true if a table has string keys, and true if it has others.
local function key_kinds(t)
  local strings, others = false, next(t) ~= nil and t[1] ~= nil
  for key in next, t do
    if type(key) == "string" then strings = true else others = true end
    if strings and others then break end
  end
  return strings, others
end
support.key_kinds = key_kinds

-- --- values -----------------------------------------------------------------------------------------

-- Returns a number's text with a point, in every locale.
local function with_point(text)
  local point = ("%.1f"):format(0.5):match "^0(.+)5$"
  local at = point ~= "." and text:find(point, 1, true)
  return at and text:sub(1, at - 1) .. "." .. text:sub(at + #point) or text
end

--- Formats one number as string.format does, always with a point.
function support.number(format, value) return with_point(format:format(value)) end

--- Returns a value as Python's f-strings show it.
function support.python(value)
  if value == nil then return "None" end
  if value == true then return "True" end
  if value == false then return "False" end
  if support.is_plain(value) then return support.python_table(value) end
  return math.type(value) == "float" and with_point(tostring(value)) or tostring(value)
end

--- Returns a plain table as Python's repr shows it, as a list or a dict: "[0, 'a']".
function support.python_table(value)
  local function repr(x) return type(x) == "string" and ("'%s'"):format(x) or support.python(x) end
  local out = {}
  if #value > 0 or next(value) == nil then
    for i, x in ipairs(value) do out[i] = repr(x) end
    return ("[%s]"):format(table.concat(out, ", "))
  end
  for key, x in pairs(value) do out[#out + 1] = ("%s: %s"):format(repr(key), repr(x)) end
  table.sort(out)
  return ("{%s}"):format(table.concat(out, ", "))
end

--- Returns the class of a value as Python names it: "<class 'int'>".
function support.python_class(value)
  local class = support.class_of(value)
  if class then return tostring(class) end
  local name = torch._python_type(value)
  if torch.is_tensor(value) then name = "torch." .. name end
  return ("<class '%s'>"):format(name)
end

function support.sum(list)
  local total = 0
  for _, value in ipairs(list) do total = total + value end
  return total
end

--- Returns true if a value is an array of torch.numpy.
function support.is_array(value)
  local metatable = type(value) == "table" and getmetatable(value)
  return metatable and metatable.__name == "numpy.ndarray" or false
end

--- Returns the function that gives the values of x one after the other. x is an object with a loop of its own, a plain table, the
-- rows of a tensor as numbers, or a function that is such an iterator already.
function support.values(x)
  if type(x) == "function" then return x end
  local class = support.class_of(x)
  if class and class.start then return class.start(x) end
  local i, n = 0, #x
  if torch.is_tensor(x) then
    x = x:tolist()
  elseif not is_plain(x) then
    return function()
      i = i + 1
      if i <= n then return x[i - 1] end
    end
  end
  return function()
    i = i + 1
    return x[i]
  end
end

-- --- loops ------------------------------------------------------------------------------------------

-- `for x in object do` calls object(nil, control). The first call has no control value and starts a loop. The next calls must
-- find the loop that they belong to, because loops may be left early and nested. A control value that is an object (a tensor, a
-- table) is the key. For a plain value, the latest loop whose last value it was continues.
local loops = setmetatable({}, {__mode = "k"})
local MAX_PLAIN = 1000

local function is_object(value)
  local kind = type(value)
  return kind == "userdata" or kind == "table"
end

local function find_plain(state, control)
  for i = #state.plain, 1, -1 do
    if state.plain[i].last == control then return table.remove(state.plain, i) end
  end
end

local function remember(state, loop, first, ...)
  if first == nil then return nil end
  if is_object(first) then
    state.objects[first] = loop
  else
    loop.last = first
    if #state.plain >= MAX_PLAIN then table.remove(state.plain, 1) end
    state.plain[#state.plain + 1] = loop
  end
  return first, ...
end

--- Makes one step of `for ... in object do`. start(object) returns the function that gives the values.
function support.step(object, control, start)
  local state = loops[object]
  if not state then
    state = {objects = setmetatable({}, {__mode = "k"}), plain = {}}
    loops[object] = state
  end
  local loop
  if control == nil then
    loop = {next = start(object)}
  elseif is_object(control) then
    loop = state.objects[control]
    state.objects[control] = nil
  else
    loop = find_plain(state, control)
  end
  if not loop then return nil end
  return remember(state, loop, loop.next())
end

-- --- blocks -----------------------------------------------------------------------------------------

local function ended(leave, ok, ...)
  leave()
  if not ok then error((...), 0) end
  return ...
end

--- Implements Python's `with`, whose mode the caller has entered: runs the block and calls leave, however the block ends. Without
-- a block returns a guard, which calls leave when it is closed or dropped. A coroutine that is dropped within the block drops
-- the guard.
function support.guarded(leave, block)
  local left = false
  local function once()
    local before = left; left = true   -- on one line: on the next one a hook may run, and collect the guard
    if not before then leave() end
  end
  local guard = setmetatable({}, {__close = once, __gc = once})
  if not block then return guard end
  return ended(once, pcall(block))
end

-- --- classes ----------------------------------------------------------------------------------------

local Object = {__name = "object", __module = "__main__"}
support.Object = Object

local function isinstance(self, class)
  local own = getmetatable(self).class
  while own do
    if own == class then return true end
    local metatable = getmetatable(own)
    own = metatable and metatable.__index
  end
  return false
end
function Object:isinstance(class) return isinstance(self, class) end

local function no_such_method(class, text, hint)
  return torch._raise("TypeError", text:format(class.__name), hint)
end

-- Returns an iterator as Python's enumerate() does: 0 and the first values, 1 and the next ones, ...
local function counted(step)
  local i = -1
  local function number(first, ...)
    if first == nil then return nil end
    i = i + 1
    return i, first, ...
  end
  return function() return number(step()) end
end

-- Returns the metatable of a class's objects. It looks its functions up in the class, so that they are inherited.
local function object_metatable(class)
  local function describe(object)
    local text = class.__tostring
    if text then return text(object) end
    return ("<%s.%s object at %s>"):format(class.__module, class.__name, support.address(object))
  end
  return {
    class = class,
    __name = class.__name,
    __index = function(object, key)
      if math.type(key) == "integer" then
        if class.item then return class.item(object, key) end
        if class.start then
          torch._raise("TypeError", ("'%s' object is not subscriptable"):format(class.__name),
            "for ... in loader do; or, counting from 0: for i, x, y in pairs(loader) do")
        end
      end
      return class[key]
    end,
    __len = function(object)
      return class.__len and class.__len(object) or no_such_method(class, "object of type '%s' has no len()")
    end,
    __call = function(object, first, ...)
      if class.start then return support.step(object, (...), class.start) end
      if class.call then return class.call(object, first, ...) end
      local hint = first == nil and (class.item or class.__len) and "a loop over its items: for i, item in pairs(object) do"
      return no_such_method(class, "'%s' object is not callable", hint or nil)
    end,
    __pairs = function(object)
      if class.start then return counted(class.start(object)) end
      local i, n = -1, #object
      return function()
        i = i + 1
        if i < n then return i, object[i] end
      end
    end,
    __add = function(a, b)
      return class.__add and class.__add(a, b) or no_such_method(class, "unsupported operand type for +: '%s'")
    end,
    __tostring = describe,
    __concat = function(a, b) return tostring(a) .. tostring(b) end,
  }
end

-- Lua's events that a class may define, as Lua's own classes do: function Set.__lt(a, b).
local EVENTS = {}
for name in ("add sub mul div mod pow unm idiv band bor bxor bnot shl shr concat len eq lt le call close gc pairs newindex tostring")
  :gmatch "%l+" do EVENTS["__" .. name] = true end

-- Returns the __newindex of a class, which also copies events to the metatable of its objects, where Lua looks for them.
local function definer(metatable)
  return function(class, key, value)
    rawset(class, key, value)
    if EVENTS[key] then metatable[key] = value end
    if key == "__index" and not rawequal(value, class) then -- Set.__index = Set, as in Lua's own classes, changes nothing
      torch._raise("TypeError", ("class '%s' defines __index, which its objects do not call"):format(class.__name),
        "define getitem(i) for object[i]; other fields are found without it")
    end
  end
end

function support.address(object)
  local metatable = getmetatable(object)
  local text
  if type(object) == "table" then
    setmetatable(object, nil)
    text = tostring(object)
    setmetatable(object, metatable)
  else
    text = tostring(object)
  end
  return text:match "0x%x+" or "0x0"
end

--- Returns a class derived from base. Calling the class makes an object and calls init. class:extend "Name" derives another
-- class.
function support.class(name, base, module)
  local class = {__name = name, __module = module, __name__ = name}
  class.__class__ = class -- object.__class__.__name__
  local metatable = object_metatable(class)
  for event in pairs(base and module == "__main__" and EVENTS or {}) do
    metatable[event] = base[event] or metatable[event]
  end
  return setmetatable(class, {
    __index = base or Object,
    __newindex = module == "__main__" and definer(metatable) or nil,
    __call = function(_, ...)
      local object = setmetatable({}, metatable)
      if class.init then class.init(object, ...) end
      return object
    end,
    __tostring = function() return ("<class '%s.%s'>"):format(class.__module, name) end,
  })
end

function Object:extend(name)
  if type(name) ~= "string" then
    torch._raise("TypeError", "extend() missing 1 required positional argument: 'name'",
      ('write: local Mine = %s:extend "Mine"; print shows the name'):format(self.__name or "Class"))
  end
  return support.class(name, self, "__main__")
end

--- Returns the class of an object made by support.class, or nil.
function support.class_of(object)
  local metatable = type(object) == "table" and getmetatable(object)
  return metatable and metatable.class
end

return support
