-- help/init.lua: help on names that are in no list of the build, because they are written in Lua. A function's text is the `---`
-- comment above it, its signature the one given to torch._define. Names without a place for a comment (made in a loop, classes,
-- constants) have a line in help/texts. Loaded when help is first asked for.
local torch = ...
local help = {}

-- --- names -------------------------------------------------------------------------------------------------------

--- Returns true if a value is a namespace, whose members have help of their own.
function help.is_namespace(value)
  local metatable = type(value) == "table" and debug.getmetatable(value)
  return type(metatable) == "table" and rawget(metatable, "__name") == "module"
end

-- Visits the names below a table: visit(path, value). Visits the names in its namespaces after its own.
local function walk(path, t, seen, visit)
  if seen[t] then return end
  seen[t] = true
  local names = {}
  for name in next, t do
    if type(name) == "string" and not name:find "^_" then names[#names + 1] = name end
  end
  table.sort(names)
  local below = {}
  for _, name in ipairs(names) do
    local value = rawget(t, name)
    visit(path .. "." .. name, value)
    if help.is_namespace(value) or value == torch.Tensor then below[#below + 1] = name end
  end
  for _, name in ipairs(below) do walk(path .. "." .. name, rawget(t, name), seen, visit) end
end

-- Classes whose methods are public names, and their names in bindings/functions.lua.
local classes = {["torch.nn.Module"] = "Module", ["torch.optim.Optimizer"] = "Optimizer", ["torch.Generator"] = "Generator"}

-- Returns the method of a class whose methods are only in the build's list.
local function listed_method(path)
  local class, method = path:match "^(.*)%.([^.]+)$"
  return classes[class] and torch._functions(classes[class])[method]
end

--- Returns the value that a dotted name leads to, or nil. raw: does not load parts.
function help.value_of(path, raw)
  local value = torch
  for name in path:gsub("^torch%.?", ""):gmatch "[%a_][%w_]*" do
    if type(value) ~= "table" then
      local metatable = debug.getmetatable(value)
      value = type(metatable) == "table" and rawget(metatable, "__index")
      if type(value) ~= "table" then return listed_method(path) end
    end
    local next_value = rawget(value, name)
    if next_value == nil and not raw then
      local found, result = pcall(function() return value[name] end)
      if found then next_value = result end
    end
    value = next_value
    if value == nil then return nil end
  end
  return value
end

local loaded = false

--- Loads all parts that belong to a public name.
function help.load_all()
  if loaded then return end
  loaded = true
  for _, name in ipairs(torch._source()) do
    if name:find "^torch%." then help.value_of(name) end
  end
  local _ = torch.numpy.column_stack   -- loads the rest of numpy's functions
  walk("torch", torch, {}, function(_, value)   -- makes the members that a namespace makes on first use
    local lazy = help.is_namespace(value) and rawget(debug.getmetatable(value), "__lazy")
    for name in next, lazy or {} do _ = value[name] end
  end)
end

-- The path of each value, and the number of parts that were loaded when the map was made.
local paths, parts_seen = {}, -1

local function count_parts()
  local count = 0
  for _ in next, debug.getregistry()["tocha.parts"] do count = count + 1 end
  return count
end

local function path_of(value)
  local count = count_parts()
  if count ~= parts_seen then
    parts_seen = count
    paths = {}
    walk("torch", torch, {}, function(path, v)
      local kind = type(v)
      if kind ~= "function" and kind ~= "table" and kind ~= "userdata" then return end
      local known = paths[v]
      if not known or #path < #known then paths[v] = path end
    end)
  end
  return paths[value]
end

--- Visits all public names in order: visit(path, value).
function help.each(visit)
  help.load_all()
  local all, values = {}, {}
  local function add(path, value)
    if values[path] == nil then all[#all + 1] = path end
    values[path] = value
  end
  walk("torch", torch, {}, add)
  for path, name_in_list in next, classes do
    for name, value in next, torch._functions(name_in_list) do
      if not name:find "^_" then add(path .. "." .. name, value) end
    end
    local class = help.value_of(path)
    local index = class and debug.getmetatable(class)
    index = type(index) == "table" and type(rawget(index, "__index")) == "table" and rawget(index, "__index") or class
    for name, value in next, type(index) == "table" and index or {} do
      if type(name) == "string" and not name:find "^_" and type(value) == "function" then add(path .. "." .. name, value) end
    end
  end
  table.sort(all)
  for _, path in ipairs(all) do visit(path, values[path]) end
end

-- --- signatures --------------------------------------------------------------------------------------------------

local function parameter_text(p, default)
  if default then
    local value = p.default
    return p.name .. "=" .. value
  end
  return p.name .. (p.variadic and "..." or p.optional and "?" or "")
end

-- Returns the arguments of torch._define for a reader as text: its name and its parameters.
local function of_reader(reader)
  local _, r = debug.getupvalue(reader, 1)
  if type(r) ~= "userdata" then return nil end
  local name, parameters = debug.getuservalue(r, 1), debug.getuservalue(r, 2)
  if type(name) ~= "string" or type(parameters) ~= "table" then return nil end
  local texts = {}
  for i, p in ipairs(parameters) do
    if p.keyword_only and not (parameters[i - 1] and parameters[i - 1].keyword_only) then texts[#texts + 1] = "*" end
    texts[#texts + 1] = parameter_text(p, p.default)
  end
  return name, "(" .. table.concat(texts, ", ") .. ")"
end

-- Returns the function inside one that torch._define made, its signature, and true; for another function, the function and the
-- names of its parameters.
local function look_inside(f, last)
  local info = debug.getinfo(f, "Su")
  local inner, list = f, nil
  for i = 1, info.nups do
    local name, value = debug.getupvalue(f, i)
    if type(value) == "function" then
      local called, text = nil, nil
      if debug.getinfo(value, "S").what == "C" then called, text = of_reader(value) end
      if text and (info.source == "=[tocha] define" or called == last or called:match "^([%w_]+)%.__init__$" == last or
          called:match "%.([%w_]+)$" == last) then
        list = text
      elseif name == "f" and info.source == "=[tocha] define" then
        inner = value
      end
    end
  end
  local declared = list ~= nil
  if not list and info.what ~= "C" then
    local names = {}
    for i = 1, info.nparams do names[i] = debug.getlocal(f, i) end
    if info.isvararg then names[#names + 1] = "..." end
    list = "(" .. table.concat(names, ", ") .. ")"
  end
  return inner, list, declared
end

-- --- comments ----------------------------------------------------------------------------------------------------

local lines_of = setmetatable({}, {__mode = "v"})

local function lines(part)
  local source = torch._source(part)
  local found = lines_of[part]
  if not found and source then
    found = {}
    for line in (source .. "\n"):gmatch "(.-)\n" do found[#found + 1] = line end
    lines_of[part] = found
  end
  return found
end

-- Returns the `---` comment that ends above the line where a function begins, or above a call of define one line earlier.
local function comment_above(f)
  local info = debug.getinfo(f, "S")
  local part = info.source:match "^=%[tocha%] (.*)$"
  local text = part and lines(part)
  if not text then return nil end
  local last = info.linedefined - 1
  if text[last] and text[last]:find "define[%s(]" and not text[last]:find "^%s*%-%-" then last = last - 1 end
  local first = last
  while text[first] and text[first]:find "^%s*%-%-" do first = first - 1 end
  local out = {}
  for i = first + 1, last do
    local line = text[i]:match "^%s*%-%-%-%s?(.*)$"
    if not line and #out == 0 then goto continue end
    out[#out + 1] = line or text[i]:match "^%s*%-%-%s?(.*)$"
    ::continue::
  end
  return #out > 0 and table.concat(out, " ") or nil
end

-- Returns the text at the head of a namespace's file, or nil.
local function head_of(part)
  local text, out = lines(part), {}
  for _, line in ipairs(text or {}) do
    local words = line:match "^%-%-%s?(.*)$"
    if not words or words:find "^%s" then break end   -- a program or a list
    out[#out + 1] = words
  end
  local found = table.concat(out, " "):gsub("^[%w_/.]+%.lua: ", ""):gsub(":%s*$", ".")
  return found ~= "" and found or nil
end

-- --- texts -------------------------------------------------------------------------------------------------------

-- Returns the entries that a list of the build has for initializers and optimizers: {signature, doc} by path.
local function listed(part, word, space)
  local out = {}
  local chunk = load(torch._source(part), "=" .. part, "t", {[word] = function(name)
    return function(entry) out[space .. name] = {entry[1] or "", entry.details and entry.doc .. "\n    " .. entry.details or entry.doc, entry.like} end
  end})
  chunk()
  return out
end

local written

local function texts()
  if written then return written end
  written = torch._part "help.texts"
  for path, entry in next, listed("initializers", "initializer", "torch.nn.init.") do written[path] = entry end
  local optimizers = listed("optimizers", "optimizer", "torch.optim.")
  for path, entry in next, optimizers do
    written[path] = {"(params, " .. entry[1]:sub(2):gsub("^%)", ")"), entry[2]}
  end
  return written
end

-- Returns the text on a function of torch.numpy that is torch's of the same name, on arrays.
local function of_numpy(path)
  local name = path:match "^torch%.numpy%.([%w_]+)$"
  local known = name and torch._list_help(rawget(torch, name))
  return known and "torch." .. name .. ", on arrays: " .. known:match "\n%s+([^\n]+)" or nil
end

--- Returns the text on a value: "name(parameters)", a line, and the details, indented. path: its name; nil: is looked up.
-- from_list: the text from the lists of the build, which a derived class inherits.
function help.of(value, path, from_list)
  local kind = type(value)
  if from_list and kind ~= "table" then return from_list end
  path = path or (kind == "function" or kind == "table" or kind == "userdata") and path_of(value) or nil
  if not path then return from_list end
  local last, entry = path:match "[^.]+$", texts()[path] or texts()[path_of(value) or path]
  local inherited = from_list and from_list:match "^[%w_]+" ~= last   -- the text of the base class
  if not entry and from_list and not inherited then return from_list end
  local callable, list, declared, comment = value, nil, false, nil
  if kind == "table" then callable = rawget(value, "init") end
  if type(callable) == "function" then
    local inner
    inner, list, declared = look_inside(callable, last)
    comment = comment_above(inner) or comment_above(callable)
  end
  if kind == "table" and list then list = list:gsub("^%(self,? ?", "(") end
  local doc = entry and entry[2] or comment or of_numpy(path)
  if not doc then
    if help.is_namespace(value) then return last .. "\n    " .. (head_of(path) or "The namespace " .. path .. ".") end
    return nil
  end
  if entry and entry[1] ~= "" and not declared then list = entry[1] end
  return last .. (list or "") .. "\n    " .. doc
end

-- --- examples ----------------------------------------------------------------------------------------------------

local function text_of(path)
  local value = help.value_of(path)
  local text = value ~= nil and (help.of(value, path, torch._list_help(value)) or torch._help(value)) or nil
  local method = not text and listed_method(path)
  return text or method and torch._list_help(method) or nil
end

-- Returns the path under which a method is documented that a class has from its base: torch.optim.SGD.step is
-- torch.optim.Optimizer.step.
local function path_in_base(path)
  local class, method = path:match "^(torch%.[%l_.]+%.%u%w*)%.([^.]+)$"
  if not class or help.value_of(class) == nil then return path end
  local base = (class:find "^torch%.nn%." and "torch.nn.Module." or class:find "^torch%.optim%.%u" and "torch.optim.Optimizer." or "") .. method
  local here, there = help.value_of(path), listed_method(base)
  return there and (here == nil or here == there or here == help.value_of(base)) and base or path
end

-- Returns the original of a name that is another name, or a copy, of a function; nil for other names.
local function same_as(path)
  local entry = texts()[path]
  return entry and entry.same_as or torch._same_as(help.value_of(path))
end

--- Returns the example of a name, a list of entries {typed = "...", shown = "..."}, and the name it was written for; nil if there
-- is none.
function help.example(path) return torch._part "help.example".of(path, same_as, text_of) end

-- Returns the other forms of an operator: "torch.abs, x:abs(), x:abs_()".
local function other_forms(path)
  local space, name = path:match "^(.*)%.([^.]+)$"
  local examples, found = torch._part "help.example", {}
  if not examples.spaces[space] then return nil end
  local base = help.value_of(space .. "." .. name:gsub("_$", "")) ~= nil and name:gsub("_$", "") or name
  local is_function = help.value_of("torch." .. base) ~= nil   -- otherwise another operator may have the name: x:unfold()
  for _, other_space in ipairs(is_function and examples.spaces or {space}) do
    for _, other in ipairs {base, base .. "_"} do
      local form = other_space .. "." .. other
      local value = form ~= path and help.value_of(form)
      local is_method = other_space == "torch.Tensor"
      if type(value) == "function" then found[#found + 1] = is_method and ("x:%s()"):format(other) or form end
    end
  end
  return #found > 0 and "    Also " .. table.concat(found, ", ") .. "." or nil
end

-- Breaks a line into parts no wider than the terminal, or 88 columns, as many as a notebook shows. All but the first are
-- indented by `indent` blanks.
local function wrapped(line, indent)
  local width = math.min(torch._terminal "stdout" or 88, 88)
  if #line <= width then return line end
  local out, piece = {}, nil
  for word in line:gmatch(indent == 4 and "%S+" or "[^,]+,?") do
    word = word:match "%S.*"
    if piece and #piece + #word + 1 > width then
      out[#out + 1] = piece
      piece = (" "):rep(indent) .. word
    else
      piece = piece and piece .. " " .. word or line:match "^ *" .. word
    end
  end
  out[#out + 1] = piece
  return table.concat(out, "\n")
end

-- Breaks the lines of a text. Texts keep their margin. Signatures are not broken within a parameter, and continue further to the
-- right.
local function wrapped_text(text)
  return (text:gsub("[^\n]+", function(line) return wrapped(line, line:find "^ " and 4 or 8) end))
end

-- Returns a text followed by the other names of its function, and an example.
local function with_example(text, path)
  if not text or not path then return text and wrapped_text(text) end
  local block, forms = help.example(path), other_forms(path)
  text = wrapped_text(text .. (forms and "\n" .. forms or ""))
  return block and text .. "\n\n    " .. torch._part "help.example".text(block):gsub("\n", "\n    "):gsub("\n +%f[\n]", "\n") or text
end

--- Returns the text that `help(value)` shows, or nil if nothing is known.
function help.page(value) return with_example(torch._help(value), value ~= nil and path_of(value) or nil) end

--- Returns the text on a dotted name, "torch.cat" or "cat", or nil.
function help.on(name)
  name = name:gsub(":", "."):gsub("^torch%.", ""):gsub("^np%.", "numpy.")
  for _, space in ipairs {"", "Tensor.", "nn.", "nn.Module.", "nn.functional.", "optim.", "utils.data.", "linalg."} do
    local path = "torch." .. space .. name
    path = path_in_base(path)
    local text = help.value_of(path) ~= nil and with_example(text_of(path), path)
    if text then return text end
  end
  local found
  help.each(function(path)   -- a name of another namespace
    if not found and path:sub(-#name - 1) == "." .. name then found = with_example(text_of(path), path) end
  end)
  return found
end

return help
