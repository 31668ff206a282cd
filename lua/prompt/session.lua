-- session.lua: the entries of the prompt: tests that they are complete, compiles and runs them, shows their values.
local torch = ...

-- The other files of the prompt, each loaded with the first entry that needs it.
local parts = setmetatable({}, {__index = function(t, name)
  local part = torch._part("prompt." .. name)
  rawset(t, name, part)
  return part
end})

local session = {
  entries = {},  -- their texts
  locals = {},   -- names that entries declare with `local` at the outermost level, and the last results
  results = {},  -- the last nine results, the newest first
  outputs = setmetatable({}, {__mode = "v"}), -- by the number of their entry, while something else holds them
  declared = {}, -- the names of declared locals
  initial = {},  -- the names of the globals that existed at the start
  print = print, -- Lua's own
  chunk = "[%d]",  -- Lua's name for an entry; a notebook uses "cell %d", the prompt that of Lua's own prompt
}

for name in next, _G do session.initial[name] = true end

-- The environment of entries: these names first, then the globals. Assignments without `local` make globals.
local declare = setmetatable({}, {__newindex = function(_, name, value)
  session.declared[name] = true
  rawset(session.locals, name, value)
end, __metatable = false})
setmetatable(session.locals, {__index = _G, __newindex = _G})
rawset(session.locals, "True", true) -- Python's, which would otherwise be nil and count as false
rawset(session.locals, "False", false)
rawset(session.locals, "In", session.entries)
rawset(session.locals, "Out", session.outputs)
rawset(session.locals, "_LINES", function(command) return parts.system.lines(command) end) -- `files = !ls`

-- --- `local` persists --------------------------------------------------------------------------------------------

-- Returns the tokens of the names that a `local` at tokens[i] declares, the index of the token after them, and true if an
-- attribute must stay.
local function declared_names(tokens, i)
  local names, at, attributed = {}, i + 1, false
  while tokens[at] and tokens[at].kind == "name" do
    names[#names + 1] = tokens[at]
    at = at + 1
    if tokens[at] and tokens[at].text == "<" then
      attributed = true
      at = at + 3
    end
    if not tokens[at] or tokens[at].text ~= "," then break end
    at = at + 1
  end
  return names, at, attributed
end

-- Adds edits of the text that turn the declarations of tokens[i] into assignments to the session's names.
local function add_edits(edits, tokens, i)
  local following = tokens[i + 1]
  if following and following.text == "function" then
    edits[#edits + 1] = {tokens[i].first, tokens[i].last, ""}
    if tokens[i + 2] and tokens[i + 2].kind == "name" then
      edits[#edits + 1] = {tokens[i + 2].first, tokens[i + 2].first - 1, "_LOCAL."}
    end
    return
  end
  local names, at, attributed = declared_names(tokens, i)
  if #names == 0 or attributed then return end
  edits[#edits + 1] = {tokens[i].first, tokens[i].last, ""}
  for _, name in ipairs(names) do edits[#edits + 1] = {name.first, name.first - 1, "_LOCAL."} end
  if not tokens[at] or tokens[at].text ~= "=" then
    edits[#edits + 1] = {names[#names].last + 1, names[#names].last, " = nil"}
  end
end

local function apply(text, edits)
  local out, at = {}, 1
  for _, edit in ipairs(edits) do
    out[#out + 1] = text:sub(at, edit[1] - 1)
    out[#out + 1] = edit[3]
    at = edit[2] + 1
  end
  out[#out + 1] = text:sub(at)
  return table.concat(out)
end

local function without_comments(tokens)
  local out = {}
  for _, token in ipairs(tokens) do
    if token.kind ~= "comment" then out[#out + 1] = token end
  end
  return out
end

--- Returns the text with each `local` at its outermost level turned into assignments to names that the session keeps.
function session.keep_locals(text)
  if not text:find("local", 1, true) then return text end
  local tokens, edits, index = without_comments(parts.lexer.tokens(text)), {}, 0
  parts.lexer.walk(tokens, function(token, depth)
    index = index + 1
    if token.kind == "keyword" and token.text == "local" and depth == 0 then add_edits(edits, tokens, index) end
  end)
  return apply(text, edits)
end

-- --- compiling ---------------------------------------------------------------------------------------------------

local function load_chunk(text) return load(text, "=" .. session.chunk:format(#session.entries + 1), "t", session.locals) end

--- Returns a script as a function whose outermost locals stay after it, or nil and a message. name: nil for the standard input.
function session.load_script(name)
  local script, message = loadfile(name, nil, session.locals)
  local file = script and name and io.open(name, "rb")
  if not file then return script, message end
  local text = file:read "a"
  file:close()
  rawset(session.locals, "_LOCAL", declare)
  text = text:gsub("^\239\187\191", ""):gsub("^#[^\n]*", "")
  return load(session.keep_locals(text), "@" .. name, "t", session.locals) or script
end

-- Returns true if a message says that more lines may follow. After a string in quotes none can, except after a backslash.
local function ends_early(message, text)
  if message == nil or not message:find "<eof>$" then return false end
  return not message:find "unfinished string near" or text:find "\\%s*$" ~= nil or text:find("\\z", 1, true) ~= nil
end

--- Loads statements, and an expression after the last line break or semicolon that allows it, whose value is shown.
function session.load_with_last_value(text)
  local ends = {}
  for at in text:gmatch "()[\n;]" do ends[#ends + 1] = at end
  for i = #ends, math.max(1, #ends - 50), -1 do
    local tail = text:sub(ends[i] + 1)
    if tail:find "%S" and load("return " .. tail, "=x", "t") then
      local f = load_chunk(session.keep_locals(text:sub(1, ends[i])) .. "return " .. tail)
      if f then return f end
    end
  end
end

-- Returns the position in a text that a message complains of.
local function place_of(message, text)
  local word = message:match " near '(.*)'$"
  return word and text:find(word, 1, true) or #text + 1
end

-- Compiles an expression, a statement, or statements with an expression at the end. If the text is none of these, returns the
-- message of the attempt that got further.
local function compile(text)
  local f, unfinished = load_chunk("return " .. text)
  if f then -- a tail call would lose the line; after a comment nothing can be added
    return not text:find("--", 1, true) and load_chunk("return _RESULTS(" .. text .. ")") or f
  end
  f = session.load_with_last_value(text)
  if f then return f end
  local message
  f, message = load_chunk(session.keep_locals(text))
  if f then return f end
  if ends_early(message, text) or ends_early(unfinished, text) then return nil, message, true end
  if not text:find "\n" and place_of(unfinished, text) > place_of(message, text) then message = unfinished end
  return nil, message, false
end

--- Returns true if a text is a command, not Lua.
function session.is_command(text) return text:find "^%s*[?!]" ~= nil or text:find "^%s*:%a" ~= nil end

-- Returns an entry as Lua, and true if its values should not be shown. `=x` is an old form; a `;` at the end hides the values.
local function prepare(text)
  text = text:gsub("^%s*=", "return ", 1)
  return text, text:find ";%s*$" ~= nil
end

-- Returns true if a block is open at the end. Fast, for texts that come line by line.
local function has_open_block(text)
  local f, message = load(text, "=x", "t")
  return not f and message:find "'%l+' expected.* near <eof>$" ~= nil and message:find "'=' expected" == nil
end

--- Returns true if Enter ends the text.
function session.is_complete(text)
  if parts.habits.awaits_cell(text) then return false end
  if not text:find "%S" or session.is_command(text) or parts.habits.command(text, session.locals) then return true end
  if has_open_block(text) then return parts.habits.is_block(text) end
  local f, _, early = compile((prepare(text)))
  return f ~= nil or not early or parts.habits.is_block(text) or parts.habits.rewrite(text) ~= nil
end

-- --- running -----------------------------------------------------------------------------------------------------

local function remember(value)
  if value == nil then return end
  session.outputs[#session.entries] = value
  table.insert(session.results, 1, value)
  session.results[10] = nil
  rawset(session.locals, "_", value)
  for i, result in ipairs(session.results) do rawset(session.locals, "_" .. i, result) end
end

local silent

--- Compiles an entry. Returns a function without arguments that runs it, or nil, a message, and true if more lines might make it
-- Lua.
function session.compile(text)
  local given = parts.habits.command(text, session.locals) or text
  local command = session.is_command(given) and parts.commands.find(given)
  local body
  body, silent = prepare(parts.habits.unprompted(text))
  local f, message, early
  if command then
    f, silent = function() command(session) end, false
  else
    f, message, early = compile(body)
    local rewritten = not f and parts.habits.rewrite(body)
    if rewritten then
      local other, still = compile(rewritten)
      f, message = other, not other and body:find "\n" and still or message -- a message about lines that were understood would mislead
    end
    early = early and not parts.habits.is_block(body) or parts.habits.awaits_cell(text)
  end
  if not f then return nil, message, early end
  return f
end

-- Replaces the numbers of entries, which find their lines internally, by "stdin", which Lua's own prompt writes in messages.
local function unnumbered(message) return (message:gsub("%[%d+%]:(%d+):", "stdin:%1:"):gsub("(\nat )%[%d+%]:", "%1stdin:")) end

--- Compiles an entry that is run now.
function session.enter(text)
  if session.reloads then parts.reload.report() end
  local f, message = session.compile(text)
  message = message and unnumbered(message)
  rawset(session.locals, "_LOCAL", declare)
  rawset(session.locals, "_RESULTS", function(...) return ... end)
  if text:find "%S" then session.entries[#session.entries + 1] = text end
  return f, message
end

--- Shows the values of the last entry, and keeps them.
function session.finish(...)
  local values = table.pack(...)
  if values.n > 0 then remember(values[1]) end
  if silent then return end
  if session.shown then session.shown(values) else parts.show.values(values) end
  local value = values[1]
  if values.n == 1 and (value == nil or type(value) == "boolean" or value == "userdata") then
    parts.habits.explain(session.entries[#session.entries], value, session.locals)
  end
end

-- --- errors ------------------------------------------------------------------------------------------------------

--- Returns the text of the entry with that name, or nil.
function session.entry(where)
  local number = tonumber(where:match "^%[(%d+)%]$" or where:match "^cell (%d+)$")
  return number and session.entries[number]
end

-- Returns the text of a line of an entry or of a file.
local function source_line(where, number)
  local text = session.entry(where)
  if not text then
    local file = io.open(where)
    text = file and file:read(1 << 20)
    if file then file:close() end
  end
  for line in ((text or "") .. "\n"):gmatch "(.-)\n" do
    number = number - 1
    if number == 0 then return line:match "^%s*(.-)%s*$" end
  end
end

local function short(value)
  if torch.is_tensor(value) then
    return ("Tensor %s %s %s"):format(tostring(value.shape):match "%[.*%]" or "", tostring(value.dtype), tostring(value.device))
  end
  local found, text = pcall(parts.show.text, value)
  return found and text:gsub("\n.*", " ..."):sub(1, 60) or type(value)
end

-- Returns the texts of a frame's locals.
local function texts_of_locals(frame)
  local out = {}
  for _, name in ipairs(frame.names) do
    local slot = frame.slots[name]
    if slot.index and #out < 20 then out[#out + 1] = name .. " = " .. short(slot.value) end
  end
  return out
end

-- Releases the values of an error's frames if memory ran out, so that the error does not keep the memory.
local function release_if_memory(raised, frames)
  local found, code = pcall(function() return raised.code end)
  if not (found and code == "MemoryError") then return end
  for _, frame in ipairs(frames) do frame.slots, frame.names = {}, {} end
end

--- Keeps an error and its stack with the values of locals. Called while the error is being raised.
function session.capture(raised)
  local again = session.captured == raised
  session.captured = nil
  if again then return end -- an error of :debug, whose frames are kept already
  local frames = {}
  session.raised = raised
  for level = 3, 40 do
    local info = debug.getinfo(level, "Sln")
    if not info then break end
    if info.what ~= "C" and not info.short_src:find "^%[tocha%]" then
      local name = info.what == "main" and "main chunk" or info.name and ("'" .. info.name .. "'") or "a function"
      local frame = parts.debugger.frame(level)
      frame.where = unnumbered(("%s:%d: in %s"):format(info.short_src, info.currentline, name))
      frame.line, frame.locals = source_line(info.short_src, info.currentline), texts_of_locals(frame)
      frames[#frames + 1] = frame
    end
  end
  release_if_memory(raised, frames)
  session.frames = frames
end

local LONGEST = 100000 -- bytes of an error's text: more are read by nobody, and laid out slowly by a browser
local LONGEST_LINE = 500 -- bytes of a line of the program in a stack

-- Returns the text of an error, of which a very long one lacks its middle: the hint and the stack are at the end.
local function shortened(message)
  local dropped, half = #message - LONGEST, LONGEST // 2
  if dropped <= 0 then return message end
  return ("%s\n... (%d bytes are not shown)\n%s"):format(message:sub(1, half), dropped, message:sub(-half))
end

--- Returns a message with its stack, with the text of each line below the line's level, and without the prompt's own levels.
function session.annotate(message)
  message = shortened(message):gsub("\n\t%[tocha%] prompt%.[^\n]*", "")
  message = message:gsub("(\n\t([^\n]-):(%d+): in [^\n]*)", function(line, where, number)
    local text = source_line(where, tonumber(number))
    return text and text ~= "" and line .. "\n\t    " .. text:sub(1, LONGEST_LINE) or nil
  end)
  return unnumbered(message:gsub("<%[%d+%]:(%d+)>", "<stdin:%1>"))
end

--- Forgets the user's variables, the results and the last error. Returns the number of variables.
function session.reset()
  local count = 0
  for name in next, session.declared do
    rawset(session.locals, name, nil)
    session.declared[name], count = nil, count + 1
  end
  for name, value in next, _G do
    if not session.initial[name] and value ~= package.loaded[name] then _G[name], count = nil, count + 1 end
  end
  for i = 1, #session.results do rawset(session.locals, "_" .. i, nil) end
  rawset(session.locals, "_", nil)
  for _, list in ipairs {session.results, session.outputs} do
    for i in next, list do list[i] = nil end
  end
  session.frames, session.raised = nil, nil
  collectgarbage()
  return count
end

--- These answer the editor's questions (editor.h).
function session.styles(text, cursor) return parts.layout.styles(text, cursor) end
function session.indent(text, cursor) return parts.layout.indent(text, cursor) end
function session.edited(text) return parts.commands.edited(text) end
function session.complete(text, cursor) return parts.complete.at(session, text, cursor, session.folder) end

return session
