-- commands.lua: the entries of the prompt that are not Lua: ?name, ??word, !command, :name argument.
local torch = ...
local show = torch._part "prompt.show"
local system = torch._part "prompt.system"
local commands = {}

local function write(...) io.stdout:write(...) end

-- Raises an error of the command itself, without a stack, which would add nothing.
local function fail(message) error(setmetatable({}, {__tostring = function() return message end}), 0) end

-- Loads an expression or a statement in the session's names.
local function load_in(session, text)
  local f, unfinished = load("return " .. text, "=(command)", "t", session.locals)
  f = f or session.load_with_last_value(text)
  if f then return f end
  local message
  f, message = load(text, "=(command)", "t", session.locals)
  return f or fail(unfinished:find "<eof>$" and unfinished or message)
end

-- Returns the value of a dotted name, or nil.
local function value_of(session, path)
  local f = load("return " .. path:gsub(":", "."), "=(command)", "t", session.locals)
  local found, value = pcall(f or error)
  if found then return value end
end

-- --- help --------------------------------------------------------------------------------------------------------

--- Returns the help on a name, or nil if nothing has that name.
function commands.help_on(session, name)
  local value = value_of(session, name)
  local pages = torch._part "help"
  local text = name:find "^torch[.:]" and pages.on(name) or value ~= nil and pages.page(value) or pages.on(name)
  return text or value ~= nil and ("%s: %s\n%s"):format(name, commands.kind(value), show.text(value)) or nil
end

local function help(session, name)
  if name == "" then return write(commands.overview, "\n") end
  system.page(session, commands.help_on(session, name) or ("no help on '%s'; ??%s searches"):format(name, name))
end

-- Visits the public names and their help. A value with several names is visited once.
local function each_name(visit)
  local seen, pages = {}, torch._part "help"
  pages.each(function(path, value)
    local text = pages.of(value, path, torch._list_help(value))
    if text and seen[text] ~= value then visit(path, text) end
    if text then seen[text] = value end
  end)
end

local function search(session, word)
  local count = 0
  word = word:lower()
  if word == "" then return write "??word: names and help texts with a word\n" end
  local width = session.window and session.window() or 100
  each_name(function(name, text)
    if not (name:lower():find(word, 1, true) or text and text:lower():find(word, 1, true)) then return end
    count = count + 1
    local purpose = text and text:match "\n%s+([^\n]+)" or ""
    if count <= 40 then write((("%-34s %s"):format(name, purpose):sub(1, utf8.offset(purpose, 1) and width)), "\n") end
  end)
  if count > 40 then write(("... and %d more\n"):format(count - 40)) end
  if count == 0 then write(("nothing has '%s' in its name or help\n"):format(word)) end
end

-- --- time --------------------------------------------------------------------------------------------------------

local function synchronize()
  local cuda = rawget(torch, "cuda")
  if cuda and cuda.is_initialized() then cuda.synchronize() end
end

local function seconds_of(f, loops)
  synchronize()
  local start = torch._clock()
  for _ = 1, loops do f() end
  synchronize()
  return torch._clock() - start
end

local function time_once(session, text)
  local f, values = load_in(session, text), nil
  local seconds = seconds_of(function() values = table.pack(f()) end, 1)
  show.values(values)
  write(show.seconds(seconds), "\n")
end

local function time_often(session, text)
  local f, loops, seconds = load_in(session, text), 1
  f() -- warms up
  repeat
    seconds = seconds_of(f, loops)
    if seconds < 0.05 then loops = loops * (seconds < 0.005 and 10 or 2) end
  until seconds >= 0.05
  local runs = {}
  for i = 1, 7 do runs[i] = seconds_of(f, loops) / loops end
  table.sort(runs)
  write(("%s (%s to %s; median of 7 runs, %d loops each)\n"):format(show.seconds(runs[4]), show.seconds(runs[1]),
    show.seconds(runs[7]), loops))
end

local function profile(session, text)
  local f = load_in(session, text)
  system.page(session, tostring(torch.profiler.profile(function() f() end)))
end

-- --- variables ---------------------------------------------------------------------------------------------------

-- Returns the class of an object, "Linear", or Lua's name for the type of another value.
local function class_name(value)
  local class = torch._part "support".class_of(value)
  if class then return class.__name end
  local own = type(value) == "userdata" or type(value) == "table" and debug.getmetatable(value)
  if not own then return type(value) end
  local text = tostring(value)
  return text:match "^<(%l+) '" or type(value) == "userdata" and text:match "^[%a_][%w_]*%f[%s(]" or type(value)
end

local function row_of(name, value)
  if torch.is_tensor(value) then
    return {name, "Tensor", tostring(value.shape):match "%[.*%]" or "", tostring(value.dtype), tostring(value.device),
      show.bytes(value:numel() * value:element_size()), value.requires_grad and "requires_grad" or ""}
  end
  local class, text = class_name(value), show.text(value):match "^[^\n]*"
  if type(value) == "table" and not debug.getmetatable(value) then text = ("%d items"):format(rawlen(value)) end
  if type(value) == "function" or class ~= type(value) and type(value) == "table" then text = "" end
  return {name, class, text:sub(1, 50)}
end

local function variables(session)
  local values, names = {}, {}
  for name, value in next, _G do
    if not session.initial[name] and type(name) == "string" and value ~= package.loaded[name] then values[name] = value end
  end
  for name in next, session.declared do values[name] = session.locals[name] end
  for name in next, values do names[#names + 1] = name end
  table.sort(names)
  local rows = {{"name", "type", "shape or value", "dtype", "device", "bytes", ""}}
  for _, name in ipairs(names) do rows[#rows + 1] = row_of(name, values[name]) end
  write(#names > 0 and show.rows(rows) or "no variables yet", "\n")
end

local function memory(session)
  collectgarbage()
  write("Lua: ", show.bytes(collectgarbage "count" * 1024), "\n")
  local held = 0
  for _, value in ipairs(session.results) do
    if torch.is_tensor(value) then held = held + value:numel() * value:element_size() end
  end
  write(("the last results (_, _1 to _9) hold %d values, tensors of %s\n"):format(#session.results, show.bytes(held)))
  local cuda = rawget(torch, "cuda")
  if cuda and cuda.is_initialized() then
    for i = 0, cuda.device_count() - 1 do
      write(("cuda:%d: %s allocated, %s reserved\n"):format(i, show.bytes(cuda.memory_allocated(i)), show.bytes(cuda.memory_reserved(i))))
    end
  end
end

--- Returns a description of a value in one line.
function commands.kind(value)
  if torch.is_tensor(value) then
    return ("%s of %s on %s, %s"):format(value:type(), tostring(value.shape), tostring(value.device),
      value:is_contiguous() and "contiguous" or "strides " .. show.text(value:stride()))
  end
  local found, class = pcall(function() return value.__class__ end)
  return ("%s, in Lua a %s"):format(found and class and tostring(class) or torch._part "support".python_class(value), type(value))
end

local function kind_of(session, text) write(commands.kind(load_in(session, text)()), "\n") end

-- --- files -------------------------------------------------------------------------------------------------------

local function load_file(session, name)
  local script, message = session.load_script(name)
  if not script then fail(message) end
  script()
end

local function save(session, name)
  local file, message = io.open(name, "w")
  if not file then fail(message) end
  for i = 1, #session.entries - 1 do
    if not session.is_command(session.entries[i]) then file:write(session.entries[i], "\n") end
  end
  file:close()
end

local function history(session, count)
  local from = math.max(1, #session.entries - (tonumber(count) or 20))
  for i = from, #session.entries - 1 do write(("[%d] %s\n"):format(i, (session.entries[i]:gsub("\n", "\n    ")))) end
end

--- Returns the text that an editor of the environment leaves, or nil.
function commands.edited(text)
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  file:write(text)
  file:close()
  local done = os.execute(("%s '%s'"):format(os.getenv "VISUAL" or os.getenv "EDITOR" or "vi", name))
  file = done and io.open(name)
  local out = file and file:read "a"
  if file then file:close() end
  os.remove(name)
  return out and (out:gsub("\n+$", ""))
end

local function edit(session, text)
  if text == "" then
    for i = #session.entries - 1, 1, -1 do
      if not session.is_command(session.entries[i]) then
        text = session.entries[i]
        break
      end
    end
  end
  session.prefill = session.edits == false and text or commands.edited(text) -- in a notebook, the next cell is the editor
end

local function insert(session, name)
  local file, message = io.open(name)
  if not file then fail(message) end
  session.prefill = (file:read "a":gsub("\n+$", ""))
  file:close()
end

-- --- the session -------------------------------------------------------------------------------------------------

local function page(session, text)
  local values = table.pack(load_in(session, text == "" and "_" or text)())
  local texts = {}
  for i = 1, values.n do texts[i] = show.whole(values[i]) end
  system.page(session, table.concat(texts, "\n"))
end

local function reset(session, text)
  if text ~= "-f" and session.window() then
    write "forget all variables and results? (y/n) "
    io.stdout:flush()
    if not (io.stdin:read() or ""):find "^%s*[yY]" then return end
  end
  local count = session.reset()
  write(("%d variable%s forgotten\n"):format(count, count == 1 and "" or "s"))
end

local function load_again(_, name)
  local reload = torch._part "prompt.reload"
  if name ~= "" then return reload.one(name) end
  local names = reload.changed()
  write(#names == 0 and "nothing has changed" or "loaded again: " .. table.concat(names, ", "), "\n")
end

local function autoreload(session, text)
  if text ~= "" then session.reloads = text ~= "off" and text ~= "0" end
  if session.reloads then torch._part "prompt.reload".watch() end
  write("libraries are ", session.reloads and "" or "not ", "loaded again when their files have changed\n")
end

local function debug_entry(session, text)
  if session.edits == false then fail ":debug asks at a terminal; a notebook has :trace" end
  local debugger = torch._part "prompt.debugger"
  if text == "" then return debugger.post_mortem(session) end
  show.values(table.pack(debugger.run(session, load_in(session, text))))
end

local function change_folder(session, text)
  local message = system.change_folder(session, text)
  if message then fail(message) end
end

local function environment(session, text)
  local message = system.environment(session, text)
  if message then fail(message) end
end

local function trace(session)
  if not session.frames then return write "no error yet\n" end
  for _, frame in ipairs(session.frames) do
    write(frame.where, "\n")
    if frame.line then write("    ", frame.line, "\n") end
    for _, variable in ipairs(frame.locals) do write("      ", variable, "\n") end
  end
end

-- --- the list ----------------------------------------------------------------------------------------------------

local all = {
  {"help", function(session, text) help(session, text) end, "[NAME]", "this list, or help on a name; also ?NAME"},
  {"time", time_once, "EXPRESSION", "its value and its time"},
  {"timeit", time_often, "EXPRESSION", "the median time of many runs"},
  {"profile", profile, "EXPRESSION", "its time and memory by operator, module, line"},
  {"vars", variables, "", "your variables: shape, dtype, device, bytes"},
  {"mem", memory, "", "memory of Lua, of the last results, of GPUs"},
  {"type", kind_of, "EXPRESSION", "what a value is"},
  {"load", load_file, "FILE", "runs a script in this session"},
  {"save", save, "FILE", "writes the session's entries"},
  {"history", history, "[COUNT]", "the last entries"},
  {"edit", edit, "[TEXT]", "the last entry in $EDITOR; also Ctrl-X Ctrl-E"},
  {"insert", insert, "FILE", "a file's text as the next entry"},
  {"page", page, "[EXPRESSION]", "a value without limits, in a pager; alone the last one"},
  {"trace", trace, "", "the last error's stack, with the values of locals"},
  {"debug", debug_entry, "[EXPRESSION]", "steps through it; alone, looks around at the last error"},
  {"reload", load_again, "[NAME]", "requires a library again; alone, those whose files have changed"},
  {"autoreload", autoreload, "[on|off]", "does so before each entry"},
  {"reset", reset, "[-f]", "forgets variables and results; -f does not ask"},
  {"cd", change_folder, "[FOLDER]", "another current folder; alone the home folder, - goes back"},
  {"env", environment, "[NAME[=VALUE]]", "the environment"},
  {"doctor", function() write(torch._doctor(), "\n") end, "", "what was found on this machine"},
  {"q", function() os.exit(true, true) end, "", "leaves; also Ctrl-D"},
}

local by_name, notes, lines = {}, {}, {("%-20s %s"):format("?NAME", "help on a name; ??WORD searches names and help texts"),
  ("%-20s %s"):format("!COMMAND", "runs a command of the shell")}
local needs = {} -- the argument that a command cannot do without
for _, entry in ipairs(all) do
  by_name[entry[1]], notes[entry[1]] = entry[2], entry[4]
  lines[#lines + 1] = ("%-20s %s"):format(":" .. entry[1] .. " " .. entry[3], entry[4])
  needs[entry[1]] = entry[3]:find "^%u" and entry[3] or nil
end
lines[#lines + 1] = "A `;` at the end of an entry silences it. `_` is the last result, `_1` to `_9` the ones before. TAB completes."
commands.overview = table.concat(lines, "\n")
commands.notes = notes -- by name

--- Returns the function that runs a command and takes the session.
function commands.find(text)
  local line = text:match "^%s*(.-)%s*$"
  if line:find "^%?%?" then return function(session) search(session, line:match "^%?%?%s*(.*)$") end end
  if line:find "^%?" then return function(session) help(session, line:match "^%?%s*(.*)$") end end
  if line:find "^!" then return function() os.execute(line:sub(2)) end end
  local name, rest = line:match "^:(%a+)%s*(.*)$"
  local run = by_name[name]
  if run and rest == "" and needs[name] then return function() fail((":%s %s: %s"):format(name, needs[name], notes[name])) end end
  if run then return function(session) run(session, rest) end end
  local names = {}
  for known in next, by_name do names[#names + 1] = known end
  local near = torch._nearest(name, names)
  return function() fail(("no command :%s; %s"):format(name, near and "did you mean :" .. near .. "?" or ":help lists them")) end
end

return commands
