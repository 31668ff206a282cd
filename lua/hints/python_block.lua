-- python_block.lua: the first line of a block of Python as the Lua that it means, for hints: for, while, if, def, class, with. A
-- body on the same line is translated, too. "..." stands for any other body.
local torch = ...
local python_line = torch._part "hints.python_line"
local python_block = {}

local function trimmed(text) return text:match "^%s*(.-)%s*$" end

-- Returns the parts of a list between commas outside brackets.
local function items_of(list)
  local out, depth, item = {}, 0, ""
  for c in (list .. ","):gmatch "." do
    depth = depth + (c:find "[%(%[{]" and 1 or c:find "[%)%]}]" and -1 or 0)
    if c == "," and depth == 0 then
      out[#out + 1], item = trimmed(item), ""
    else
      item = item .. c
    end
  end
  return out
end

python_block.items_of = items_of

-- Splits a block's first line at the colon that ends its head: the first colon outside brackets and strings.
local function split(line)
  local depth, i, quote = 0, 1, nil
  while i <= #line do
    local c = line:sub(i, i)
    if quote then
      if c == "\\" then i = i + 1 elseif c == quote then quote = nil end
    elseif c:find "[\"']" then
      quote = c
    elseif c:find "[%(%[{]" then
      depth = depth + 1
    elseif c:find "[%)%]}]" then
      depth = depth - 1
    elseif c == "#" then
      return nil
    elseif c == ":" and depth == 0 then
      return trimmed(line:sub(1, i - 1)), trimmed(line:sub(i + 1))
    end
    i = i + 1
  end
end

-- Returns an expression as Lua, unchanged if it is Lua already. Fails if it is not understood.
local function expression(text, context) return python_line.expression(text, context) or error("not understood", 0) end

-- Returns an expression for one less than an expression.
local function last_before(text)
  if math.tointeger(text) then return tostring(math.tointeger(text) - 1) end
  return text .. " - 1"
end

local function counted(name, list, context)
  local values = {}
  for i, item in ipairs(items_of(list)) do values[i] = expression(item, context) end
  if #values == 1 then return ("for %s = 0, %s do"):format(name, last_before(values[1])) end
  if #values == 2 then return ("for %s = %s, %s do"):format(name, values[1], last_before(values[2])) end
  local step = values[3]
  local stop = step:find "^%-" and (math.tointeger(values[2]) and tostring(math.tointeger(values[2]) + 1) or values[2] .. " + 1") or last_before(values[2])
  return ("for %s = %s, %s, %s do"):format(name, values[1], stop, step)
end

local function is_loader(text) return text:find "[Ll]oader" ~= nil end

-- Returns the loop over two lists at once: an index, and the elements as locals.
local function paired(names, list, context)
  local lists, values = items_of(list), {}
  for i, item in ipairs(lists) do
    if not item:find "^[%a_][%w_.]*$" then error("no name", 0) end
    values[i] = expression(item, context) .. "[i]"
  end
  local counting = context.is_object(lists[1]) and "i = 0, #%s - 1" or "i = 1, #%s"
  return ("for %s do local %s = %s"):format(counting:format(lists[1]), names, table.concat(values, ", "))
end

-- Returns the head of a loop: Lua's `for` for Python's `for names in iterated`.
local function loop(names, iterated, context)
  names = names:gsub("[()]", "")
  local inner = iterated:match "^range(%b())$"
  if inner then return counted(names, inner:sub(2, -2), context) end
  inner = iterated:match "^zip(%b())$"
  if inner then return paired(names, inner:sub(2, -2), context) end
  inner = iterated:match "^enumerate(%b())$"
  if inner then
    local list = expression(items_of(inner:sub(2, -2))[1], context)
    local all = is_loader(list) or context.is_object(list)
    return ("for %s in %s(%s) do"):format(names, all and "pairs" or "ipairs", list)
  end
  local object, method = iterated:match "^(.-)%.(%l+)%(%)$"
  local forms = {items = "for %s in pairs(%s) do", keys = "for %s in pairs(%s) do", values = "for _, %s in pairs(%s) do"}
  if forms[method] then return forms[method]:format(names, expression(object, context)) end
  local list = expression(iterated, context)
  if is_loader(list) or list:find "[)}]$" and not list:find "^{" then return ("for %s in %s do"):format(names, list) end
  if names:find "," then error("tuples", 0) end
  return ("for _, %s in %s(%s) do"):format(names, context.is_object(list) and "pairs" or "ipairs", list)
end

-- Returns parameters without their types, and the statements that set their defaults.
local function parameters_of(list, context)
  local names, defaults = {}, {}
  for _, item in ipairs(items_of(list)) do
    local name, default = item:match "^([%a_][%w_]*)[^=]*=%s*(.+)$"
    name = name or item:match "^([%a_][%w_]*)%s*:?" or item:find "^%*+[%a_]" and "..."
    if not name and item ~= "" then error("a parameter", 0) end
    names[#names + 1] = name
    default = default and expression(default, context)
    if default == "true" then
      defaults[#defaults + 1] = ("if %s == nil then %s = true end "):format(name, name)
    elseif default and default ~= "nil" and default ~= "false" then
      defaults[#defaults + 1] = ("%s = %s or %s "):format(name, name, default)
    end
  end
  return names, table.concat(defaults)
end

local function define(name, list, context, class)
  local names, defaults = parameters_of(list, context)
  local method = names[1] == "self"
  if method then table.remove(names, 1) end
  if name:find "^__" and name ~= "__init__" and name ~= "__len__" and name ~= "__getitem__" and name ~= "__call__" then error(name, 0) end
  name = ({__init__ = "init", __len__ = "len", __getitem__ = "get", __call__ = "forward"})[name] or name
  if method then name = (class or "Net") .. ":" .. name end
  return ("function %s(%s)%s"):format(name, table.concat(names, ", "), defaults ~= "" and " " .. defaults:sub(1, -2) or "")
end

-- Returns a class with the first lines of its methods, which are below it.
local function class(name, parent, context, below)
  parent = parent:match "^%(%s*([%w_.]+)%s*%)$"
  if not parent then error("no class", 0) end
  local out = {("local %s = %s:extend %q"):format(name, parent, name)}
  for line in ((below or "") .. "\n"):gmatch "(.-)\n" do
    local method, list = line:match "^%s+def%s+([%w_]+)%s*(%b())%s*.*:%s*$"
    if not method and line:find "^%S" then break end
    local fine, lua = pcall(define, method or "", list and list:sub(2, -2) or "", context, name)
    if method and fine and #out < 4 then out[#out + 1] = lua .. " ... end" end
  end
  if #out == 1 then out[2] = ("function %s:init() ... end"):format(name) end
  return table.concat(out, "; ")
end

-- Returns the head of a block as Lua, and the word that ends the block.
local function opened(head, context, below)
  local names, iterated = head:match "^for%s+(.-)%s+in%s+(.+)$"
  if names then return loop(names, iterated, context), " end" end
  local word, condition = head:match "^(%l+)%s+(.+)$"
  if word == "while" then return "while " .. expression(condition, context) .. " do", " end" end
  if word == "if" then return "if " .. expression(condition, context) .. " then", " end" end
  if word == "elif" then return "elseif " .. expression(condition, context) .. " then", "" end
  local name, list = head:match "^def%s+([%w_]+)%s*(%b())"
  if name then return define(name, list:sub(2, -2), context), " end" end
  name, list = head:match "^class%s+([%w_]+)%s*(%b())$"
  if name then return class(name, list, context, below), nil end
end

--- Returns the line as Lua, or nil if it is not understood. below: the lines that follow it.
function python_block.lua(line, context, below)
  local head, body = split(trimmed(line:gsub("#[^\"']*$", "")))
  if not head then return nil end
  local fine, lua, stop = pcall(opened, head, context, below)
  if not fine or not lua then return nil end
  if not stop then return lua end
  local inner = body ~= "" and (python_line.lua(body, context.is_object) or load(body, "=", "t") and body) or nil
  if body == "pass" then inner = "" end
  local whole = lua .. (inner == "" and "" or " " .. (inner or "...")) .. stop
  local tried = lua .. " " .. (inner or "") .. " end"
  if lua:find "^elseif" then tried = "if x then " .. tried end
  return load(tried, "=", "t") and whole or nil
end

--- Returns `names = [value for x in list if condition]` as the loop that fills a list, or nil if it is not understood.
function python_block.comprehension(line, context)
  local target, inside = trimmed(line):match "^([%a_][%w_]*)%s*=%s*%[(.+)%]$"
  if not target then target, inside = "list", trimmed(line):match "^%[(.+)%]$" end
  local value, names, rest = (inside or ""):match "^(.-)%s+for%s+(.-)%s+in%s+(.+)$"
  if not value or rest:find "%f[%w]for%f[%W]" then return nil end
  local iterated, condition = rest:match "^(.-)%s+if%s+(.+)$"
  local fine, lua = pcall(function()
    local put = ("%s[#%s + 1] = %s"):format(target, target, expression(value, context))
    if condition then put = ("if %s then %s end"):format(expression(condition, context), put) end
    return ("local %s = {}; %s %s end"):format(target, loop(names, iterated or rest, context), put)
  end)
  return fine and load(lua, "=", "t") and lua or nil
end

return python_block
