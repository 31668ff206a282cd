-- complete.lua: completions at the cursor. No code of the user's runs here: fields are read raw, except those of Tocha's own
-- objects.
local torch = ...
local lexer = torch._part "prompt.lexer"
local commands = torch._part "prompt.commands"
local complete = {}

-- --- values ------------------------------------------------------------------------------------------------------

local function metatable_of(value)
  local metatable = debug.getmetatable(value)
  return type(metatable) == "table" and metatable or nil
end

-- Returns true if reading a field of a value runs only Tocha's own code.
local function is_own(value)
  local metatable = metatable_of(value)
  local name = metatable and rawget(metatable, "__name")
  if type(value) == "userdata" then return type(name) == "string" end
  if name == "module" then -- a namespace, whose parts are loaded when they are first read
    local index = rawget(metatable, "__index")
    return type(index) == "function" and debug.getinfo(index, "S").what == "C"
  end
  return type(name) == "string" and name:find "^torch" ~= nil
end

local function field(value, name)
  if type(value) == "string" then return string[name] end
  if type(value) == "table" then
    local raw = rawget(value, name)
    if raw ~= nil then return raw end
    local metatable = metatable_of(value)
    local index = metatable and rawget(metatable, "__index")
    if type(index) == "table" and index ~= value then return field(index, name) end
  end
  if not is_own(value) then return nil end
  local found, result = pcall(function() return value[name] end)
  if found then return result end
end

-- Returns the value of a chain of names and subscripts: `net.fc1`, `net[0]`, `t["a"]`.
local function value_of(session, path)
  local name, at = path:match "^([%a_][%w_]*)()"
  if not name then return nil end
  local value = rawget(session.locals, name)
  if value == nil then value = rawget(_G, name) end
  while value ~= nil and at <= #path do
    local key, after = path:match("^[.:]([%a_][%w_]*)()", at)
    if not key then
      key, after = path:match("^%[(%-?%d+)%]()", at)
      key = math.tointeger(key)
    end
    if not key then key, after = path:match("^%[[\"']([^\"'\\]*)[\"']%]()", at) end
    if not key then return nil end
    value, at = field(value, key), after
  end
  return value
end

-- Returns the chain of names and subscripts that ends a text, or nil.
local function path_before(text)
  text = text:match "[^\n]*$"
  local rest = text
  repeat
    local subscript = rest:match "()%[[^%[%]]*%]$"
    while subscript do
      rest = rest:sub(1, subscript - 1)
      subscript = rest:match "()%[[^%[%]]*%]$"
    end
    rest = rest:match "^(.-)[%a_][%w_]*$"
    if rest and not rest:find "[.:]$" then return text:sub(#rest + 1) end
    rest = rest and rest:sub(1, -2)
  until not rest
end

-- Adds the names of a table's fields, and of the tables in its __index.
local function add_fields(names, t, depth)
  for name, value in next, t do
    if type(name) == "string" then names[name] = names[name] or value end
  end
  local metatable = metatable_of(t)
  local index = metatable and rawget(metatable, "__index")
  if type(index) == "table" and depth < 8 then add_fields(names, index, depth + 1) end
end

local function add_members(names, module)
  for _, list in ipairs {"named_children", "named_parameters", "named_buffers"} do
    pcall(function()
      for name, value in module[list](module) do
        name = name:match "^[^.]+"
        if not name:find "^%d" then names[name] = names[name] or value end
      end
    end)
  end
end

-- Returns the dotted name of a namespace of torch's, "torch.nn", or nil for another table.
local function space_of(t, root, path, depth)
  if t == root then return path end
  for name, value in next, root do
    local metatable = type(name) == "string" and type(value) == "table" and depth > 0 and metatable_of(value)
    if metatable and rawget(metatable, "__name") == "module" then
      local found = space_of(t, value, path .. "." .. name, depth - 1)
      if found then return found end
    end
  end
end

-- Adds the parts of a namespace that are not loaded yet.
local function add_parts(names, t)
  local space = space_of(t, torch, "torch", 3)
  for _, name in ipairs(space and torch._parts(space) or {}) do names[name] = names[name] or true end
end

-- Adds the help on a tensor's attributes, instead of their values.
local function add_attributes(names)
  local help = torch._part "help"
  for name, value in next, torch.Tensor do
    if type(name) == "string" and type(value) ~= "function" then
      local text = help.of(value, "torch.Tensor." .. name, torch._list_help(value))
      names[name] = text and text:match "\n%s+([^\n]+)" or true
    end
  end
end

local function names_of_tensor()
  local names = {}
  add_fields(names, torch.Tensor, 0)
  add_attributes(names)
  return names
end

-- The attributes that objects made in C have besides methods, by the name of their type.
local attributes = {["torch.device"] = {"type", "index"}, ["torch.Size"] = {"numel", "unpack"},
  ["torch.dtype"] = {"itemsize", "is_floating_point", "is_signed", "is_complex"},
  ["torch.optim.Optimizer"] = {"param_groups", "state", "defaults"}}

-- Adds the class of an object, and the methods of a type made in C.
local function add_class(names, value)
  local metatable = metatable_of(value) or {}
  for _, list in ipairs {"class", "methods"} do
    if type(rawget(metatable, list)) == "table" then add_fields(names, rawget(metatable, list), 0) end
  end
  for _, name in ipairs(attributes[rawget(metatable, "__name")] or {}) do names[name] = field(value, name) or true end
end

-- Returns the names of a value's fields and methods.
local function names_of(value)
  if torch.is_tensor(value) then return names_of_tensor() end
  local names = {}
  add_class(names, value)
  if type(value) == "string" then
    add_fields(names, string, 0)
  elseif type(value) == "table" then
    add_fields(names, value, 0)
    add_parts(names, value)
  elseif type(value) == "userdata" and is_own(value) then
    if pcall(function() return value.named_children end) then
      add_fields(names, torch.nn.Module, 0)
      add_members(names, value)
    end
    local _, index = nil, rawget(metatable_of(value), "__index")
    if type(index) == "function" then _, index = debug.getupvalue(index, 1) end -- the table of methods
    if type(index) == "table" then add_fields(names, index, 0) end
  end
  return names
end

local function is_callable(value)
  if type(value) == "function" then return true end
  local metatable = metatable_of(value)
  return metatable ~= nil and rawget(metatable, "__call") ~= nil
end

local function purpose(value)
  if type(value) == "string" then return value end -- a text of its own
  if type(value) ~= "function" and type(value) ~= "table" then return nil end
  local found, text = pcall(torch._help, value)
  return found and text and text:match "\n%s+([^\n]+)" or nil
end

-- --- lists -------------------------------------------------------------------------------------------------------

-- Returns the names that begin with a prefix, in order. Returns names that begin with `_` only if the prefix does, too.
local function matching(names, prefix, suffix)
  local out = {}
  for name, value in next, names do
    if name:sub(1, #prefix) == prefix and (prefix:find "^_" or not name:find "^_") and name:find "^[%a_][%w_]*$" then
      out[#out + 1] = {text = name .. (suffix or ""), note = purpose(value)}
    end
  end
  table.sort(out, function(a, b) return a.text < b.text end)
  return out
end

local function files(prefix, folder_of)
  local folder, name = prefix:match "^(.*/)(.*)$"
  if not folder then folder, name = "", prefix end
  local out = {}
  for _, entry in ipairs(folder_of(folder == "" and "." or folder) or {}) do
    if entry:sub(1, #name) == name and (name:find "^%." or not entry:find "^%.") then
      out[#out + 1] = {text = folder .. entry}
    end
  end
  table.sort(out, function(a, b) return a.text < b.text end)
  return out
end

local devices, dtypes = {"cpu", "cuda", "cuda:0", "meta"}, nil

-- Returns the names of dtypes, as values of `torch`.
local function dtype_names()
  if not dtypes then
    dtypes = {}
    for name, value in next, torch do
      if type(value) == "userdata" and tostring(value) == "torch." .. tostring(name) then dtypes[name] = value end
    end
  end
  return dtypes
end

-- Returns the string keys of a table, or of an object of Tocha's that has such keys (a state dict, a module), as `key"]`.
local function subscripts(value, prefix, quote)
  local names, out = {}, {}
  if type(value) == "table" then
    for key in next, value do names[key] = true end
  elseif type(value) == "userdata" and is_own(value) and not torch.is_tensor(value) then
    add_members(names, value)
    pcall(function() for key in pairs(value) do names[key] = true end end)
  end
  for key in next, names do
    if type(key) == "string" and key:sub(1, #prefix) == prefix and not key:find "[%c\\\"']" then out[#out + 1] = {text = key .. quote .. "]"} end
  end
  table.sort(out, function(a, b) return a.text < b.text end)
  return out
end

-- --- calls -------------------------------------------------------------------------------------------------------

-- Returns the help on a function, or an empty text.
local function help_on(f)
  local found, text = pcall(torch._help, f)
  return found and text or ""
end

local names_of_result

-- Returns the function that a text before a parenthesis names, without calling it: `torch.cat`, `x:view(2, 2):sum`. Returns nil
-- if it is unknown.
local function function_before(session, text)
  local path = path_before(text)
  local owner, method = (path or text:match "[^\n]*$"):match "^(.*):([%a_][%w_]*)$"
  if not path then return owner and names_of_result(session, owner)[method] end
  return owner and names_of(value_of(session, owner))[method] or value_of(session, path)
end

-- Returns the names of the result of a call that ends a text, if the list of operators says that the result is a tensor; or
-- those of an expression in parentheses with a tensor in it.
function names_of_result(session, text)
  text = text:match "[^\n]*$"
  local open = text:match "()%b()$" or text:match "()%b{}$"
  if not open then return {} end
  local callee = text:sub(1, open - 1)
  if callee:find "[%w_]$" then
    return help_on(function_before(session, callee)):find "%-> Tensor%f[^%w%[]" and names_of_tensor() or {}
  end
  for name in text:sub(open):gmatch "[%a_][%w_]*" do
    if torch.is_tensor(value_of(session, name)) then return names_of_tensor() end
  end
  return {}
end

-- Returns true if the first argument of a function is a device.
local function takes_device(f)
  for first, result in help_on(f):gmatch "[%w_.]+%(([^,)]*,?[^,)]*)[^\n]*%)%s*%-?>?%s*(%w*)" do
    first = first:gsub("^Tensor self,?%s*", ""):match "^[^,]*"
    if result == "device" or first:find "device_?t?y?p?e?%??$" then return true end
  end
  return false
end

-- --- contexts ----------------------------------------------------------------------------------------------------

-- Returns the texts that begin with a prefix.
local function beginning(all, prefix)
  local out = {}
  for _, text in ipairs(all) do
    if text:sub(1, #prefix) == prefix then out[#out + 1] = {text = text} end
  end
  return out
end

-- Returns the names that `require` finds without a search.
local function libraries()
  local names, out = {torch = true}, {}
  local help = torch._part "help"
  for name, value in next, package.loaded do names[name] = not tostring(name):find "^torch%." or help.is_namespace(value) or nil end
  for name in next, package.preload do names[name] = not name:find "^torch%." or names[name] end
  for _, name in ipairs(torch._parts "torch") do names["torch." .. name] = true end
  for name, value in next, torch do names["torch." .. name] = names["torch." .. name] or help.is_namespace(value) or nil end
  for name in next, names do
    if tostring(name):find "^%a[%w_.]*$" then out[#out + 1] = name end
  end
  table.sort(out)
  return out
end

-- Completes inside a string that has no end yet, the last token of a text.
local function in_string(session, tokens, text, folder_of)
  local token, previous, earlier = tokens[#tokens], tokens[#tokens - 1] or {}, tokens[#tokens - 2] or {}
  local prefix, first = token.text:sub(2), token.first + 1
  if previous.text == "require" or previous.text == "(" and earlier.text == "require" then return first, beginning(libraries(), prefix) end
  if previous.text == "=" and earlier.text == "device"
    or previous.text == "(" and takes_device(function_before(session, (text:sub(1, previous.first - 1):gsub("%s+$", "")))) then
    return first, beginning(devices, prefix)
  end
  return first, files(prefix, folder_of)
end

-- Returns the keywords of the function whose braces are open at the cursor: `torch.zeros(2, {dt`.
local function keywords(session, tokens, text, prefix)
  local stack = lexer.walk(tokens)
  local brace = stack[#stack]
  if not brace or brace.text ~= "{" then return nil end
  local call = stack[#stack - 1]
  local upto = call and call.text == "(" and call.first or brace.first
  local last = tokens[#tokens]
  local inner = last.kind == "name" and tokens[#tokens - 1] or last
  if inner.text ~= "{" and inner.text ~= "," then return nil end
  local value = function_before(session, (text:sub(1, upto - 1):gsub("%s+$", "")))
  if value == nil then return nil end
  local names = {}
  for signature in ("\n" .. help_on(value)):gmatch "\n[%w_.]+(%b())" do -- "sum(Tensor self, dim[]? dim, bool keepdim=false)"
    signature = signature:sub(2, -2):gsub("=%b()", "")
    for parameter in signature:gmatch "[^,]+" do
      local name = parameter:gsub("=.*", ""):match "([%a_][%w_]*)%??%s*$"
      if name and name ~= "self" then names[name] = true end
    end
  end
  if next(names) == nil then return nil end
  return matching(names, prefix, " = ")
end

-- Returns the names that may follow a chain of names and a dot or colon.
local function members(session, owner, separator, prefix, is_dtype)
  local path = path_before(owner)
  local names = is_dtype and dtype_names() or path and names_of(value_of(session, path)) or names_of_result(session, owner)
  if separator == ":" then
    for name, value in next, names do
      if not is_callable(value) then names[name] = nil end
    end
  end
  return matching(names, prefix)
end

local function globals(session, prefix)
  local names = {}
  for name in next, lexer.keywords do names[name] = true end
  add_fields(names, _G, 0)
  for name, value in next, session.locals do names[name] = value end
  return matching(names, prefix)
end

--- Returns the beginning of the word at the cursor (from 1), and a list of candidates {text =, note =}.
function complete.at(session, text, cursor, folder_of)
  local before = text:sub(1, cursor - 1)
  local command = before:match "^%s*:(%a*)$"
  if command then return #before - #command + 1, matching(commands.notes, command) end
  if before:find "^%s*%?" then before = before:gsub("%?", " ") end
  local file = before:match "^%s*:load%s+(.*)$" or before:match "^%s*:save%s+(.*)$" or before:match "^%s*!.*%s(%S*)$"
  if file then return #before - #file + 1, files(file, folder_of) end
  local tokens = lexer.tokens(before)
  local last = tokens[#tokens]
  if last and last.kind == "unfinished" and last.text:find "^[\"']" then
    local owner = before:sub(last.first - 1, last.first - 1) == "[" and path_before(before:sub(1, last.first - 2))
    if owner then return last.first + 1, subscripts(value_of(session, owner), last.text:sub(2), last.text:sub(1, 1)) end
    return in_string(session, tokens, before, folder_of)
  end
  if last and (last.kind == "unfinished" or last.kind == "comment" and last.last == #before) then return cursor, {} end
  local owner, separator, prefix = before:match "^(.*)([.:])([%w_]*)$"
  if owner and not owner:find "%.$" then
    return #before - #prefix + 1, members(session, owner, separator, prefix, before:find "dtype%s*=%s*torch%.[%w_]*$")
  end
  prefix = before:match "[%a_][%w_]*$" or ""
  local words = last and keywords(session, tokens, before, prefix)
  if words and #words > 0 then return #before - #prefix + 1, words end
  local assigned = tokens[#tokens - (prefix ~= "" and 1 or 0)]
  local key = assigned and assigned.text == "=" and tokens[#tokens - (prefix ~= "" and 2 or 1)]
  if key and key.text == "dtype" then
    local names = matching(dtype_names(), prefix)
    for _, name in ipairs(names) do name.text = "torch." .. name.text end
    if #names > 0 then return #before - #prefix + 1, names end
  end
  if key and key.text == "device" and prefix == "" then
    local names = beginning(devices, "")
    for _, name in ipairs(names) do name.text = '"' .. name.text .. '"' end
    return cursor, names
  end
  return #before - #prefix + 1, prefix ~= "" and globals(session, prefix) or {}
end

return complete
