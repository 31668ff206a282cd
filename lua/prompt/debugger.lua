-- debugger.lua: `:debug EXPRESSION` steps through Lua code line by line; `:debug` looks around where the last error was raised.
local torch = ...
local show = torch._part "prompt.show"
local debugger = {}

local help = [[
n, s, o      the next line here; the next line anywhere; the line after this function
c            go on to the next stop, or to the end
b WHERE      stop at a line of this file, at FILE:LINE, or in a function by its name; b alone lists the stops, cl removes them
l, w         the lines around; the calls that led here
u, d         the caller's frame; back
p EXPRESSION a value; p n, of a variable that has the name of a command
anything else is run as Lua, in the names of the frame
a            all locals
q            stop]]

-- --- frames ------------------------------------------------------------------------------------------------------

-- Returns the variables of the function at a level, counted from this function's caller: name -> {value =, index | upvalue =}, and
-- their names, locals first.
local function variables_at(level, f)
  local slots, names = {}, {}
  for i = 1, 200 do
    local name, value = debug.getlocal(level + 1, i)
    if not name then break end
    if not name:find "^%(" then
      if not slots[name] then names[#names + 1] = name end
      slots[name] = {value = value, index = i}
    end
  end
  for i = 1, 200 do
    local name, value = debug.getupvalue(f, i)
    if not name then break end
    if name ~= "_ENV" and name ~= "" and not slots[name] then
      names[#names + 1] = name
      slots[name] = {value = value, upvalue = i}
    end
  end
  return slots, names
end

--- Returns the frame at a level of the stack, counted from the caller: {info =, slots =, names =}.
function debugger.frame(level)
  local info = debug.getinfo(level + 1, "Slnf")
  if not info then return nil end
  local slots, names = variables_at(level + 1, info.func)
  return {info = info, slots = slots, names = names}
end

-- Writes values assigned at the prompt back to the variables of a frame that still runs. `level` counts from the caller.
local function write_back(frame, level)
  for _, slot in next, frame.slots do
    if slot.changed and slot.index then debug.setlocal(level + 1, slot.index, slot.value) end
    if slot.changed and slot.upvalue then debug.setupvalue(frame.info.func, slot.upvalue, slot.value) end
    slot.changed = nil
  end
end

-- Returns the environment of code that is typed at a frame: the frame's variables, then the session's.
local function names_of(frame, session)
  return setmetatable({}, {
    __index = function(_, name)
      local slot = frame.slots[name]
      if slot then return slot.value end
      return session.locals[name]
    end,
    __newindex = function(_, name, value)
      local slot = frame.slots[name]
      if slot then slot.value, slot.changed = value, true else session.locals[name] = value end
    end,
  })
end

-- --- showing -----------------------------------------------------------------------------------------------------

local function write(...) io.stdout:write(...) end

local function lines_of(session, info)
  local text = session.entry(info.short_src)
  if not text and info.source:find "^@" then
    local file = io.open(info.source:sub(2))
    text = file and file:read "a"
    if file then file:close() end
  end
  local lines = {}
  for line in ((text or "") .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  return lines
end

local function place(info)
  local where = info.short_src:find "^%[%d+%]$" and "stdin" or info.short_src
  return ("%s:%d%s"):format(where, info.currentline, info.name and " in " .. info.name or info.what == "main" and "" or " in a function")
end

local function list(session, frame, around)
  local lines, at = lines_of(session, frame.info), frame.info.currentline
  for i = math.max(1, at - around), math.min(#lines, at + around) do
    if around == 0 or i < #lines or lines[i] ~= "" then write(("%s%4d  %s\n"):format(i == at and "->" or "  ", i, lines[i])) end
  end
end

local function announce(session, frame)
  write(place(frame.info), "\n")
  list(session, frame, 0)
end

-- --- commands ----------------------------------------------------------------------------------------------------

-- Runs typed code in a frame's environment and shows its values.
local function evaluate(session, frame, text)
  local env = names_of(frame, session)
  local f, message = load("return " .. text, "=(debug)", "t", env)
  if not f then
    local other
    f, other = load(text, "=(debug)", "t", env)
    message = f and message or other
  end
  if not f then return write(message, "\n") end
  local values = table.pack(pcall(f))
  if not values[1] then return write(tostring(values[2]):match "^[^\n]*", "\n") end
  if values.n > 1 then show.values(table.pack(table.unpack(values, 2, values.n))) end
end

-- Adds a stop. Returns the message to show.
local function add_stop(stops, frame, text)
  if text == "" then
    if #stops == 0 then return "no stops" end
    local out = {}
    for i, stop in ipairs(stops) do out[i] = stop.text end
    return table.concat(out, "\n")
  end
  local file, line = text:match "^(.-):?(%d+)$"
  local stop = line and {file = file ~= "" and file or frame.info.short_src, line = math.tointeger(tonumber(line)), text = text}
    or {name = text:match "[%w_]+$", text = text}
  stops[#stops + 1] = stop
  return "stops at " .. text
end

local function is_stop(stops, info)
  for _, stop in ipairs(stops) do
    if stop.line == info.currentline and info.short_src:sub(-#stop.file) == stop.file then return true end
    if stop.name and stop.name == info.name and info.currentline == info.linedefined + 1 then return true end
  end
  return false
end

--- Reads commands until one resumes the program, and returns it ("n", "s", "o", "c", "q"). frames: the innermost first.
--- alive: called with the number of a frame after code ran in it; nil if the frames have ended.
local function interact(session, frames, stops, alive)
  local at, last = 1, "n"
  announce(session, frames[1])
  while true do
    write "(debug) "
    io.stdout:flush()
    local line = io.stdin:read()
    if not line then return "q" end
    line = line:match "^%s*(.-)%s*$"
    if line == "" then line = last end
    last = line
    local word, rest = line:match "^(%a+)%s*(.*)$"
    local frame = frames[at]
    if (word == "n" or word == "s" or word == "o" or word == "c") and rest == "" then
      if alive then return word end
      write "it has ended: look at values, u and d, or q\n"
    elseif line == "q" then return "q"
    elseif line == "h" or line == "help" or line == "?" then write(help, "\n")
    elseif line == "l" then list(session, frame, 5)
    elseif line == "w" then
      for i, f in ipairs(frames) do write(i == at and "-> " or "   ", place(f.info), "\n") end
    elseif line == "u" or line == "d" then
      local other = at + (line == "u" and 1 or -1)
      if frames[other] then at = other announce(session, frames[at]) else write "there is no further frame\n" end
    elseif line == "a" then
      for _, name in ipairs(frame.names) do write(name, " = ", show.text(frame.slots[name].value):gsub("\n", "\n  "), "\n") end
    elseif word == "b" and (rest == "" or rest:find "^[%w_./:-]+$") then write(add_stop(stops, frame, rest), "\n")
    elseif line == "cl" then
      for i = #stops, 1, -1 do stops[i] = nil end
    else
      evaluate(session, frame, word == "p" and rest ~= "" and rest or line)
      if alive then alive(at) end
    end
  end
end

-- --- stepping ----------------------------------------------------------------------------------------------------

-- Returns true if a function is one of C or of Tocha, or is the text of the command itself.
local function is_own(info)
  return info.what == "C" or info.short_src == "(command)" or info.short_src:find "^%[tocha%]" ~= nil
end

-- Returns the frames of the user's functions from a level on, counted from the caller, and their levels.
local function frames_from(level)
  local frames, levels = {}, {}
  for at = level + 1, level + 200 do
    local info = debug.getinfo(at, "S")
    if not info then break end
    if not is_own(info) then
      frames[#frames + 1] = debugger.frame(at)
      levels[#levels + 1] = at - 1
    end
  end
  return frames, levels
end

local function depth_of_stack()
  local low, high = 1, 64
  while debug.getinfo(high, "l") do high = high * 2 end
  while low < high do
    local middle = (low + high) // 2
    if debug.getinfo(middle, "l") then low = middle + 1 else high = middle end
  end
  return low
end

--- Calls f and stops at its first line. Returns what f returns; nothing after `q`.
function debugger.run(session, f)
  local quit = {}
  local stops, mode, depth = {}, "s", 0
  local function on_line()
    local info = debug.getinfo(2, "Sln")
    if is_own(info) then return end
    if mode == "q" then error(quit, 0) end   -- also through a pcall of the program
    local here = mode ~= "c" and mode ~= "s" and depth_of_stack() or 0
    local due = mode == "s" or mode == "n" and here <= depth or mode == "o" and here < depth or #stops > 0 and is_stop(stops, info)
    if not due then return end
    local frames, levels = frames_from(2)
    mode = interact(session, frames, stops, function(at) write_back(frames[at], levels[at] + 2) end)
    depth = depth_of_stack()
    if mode == "q" then error(quit, 0) end
  end
  local function keep_frames(raised)
    debug.sethook()
    if raised ~= quit then
      session.capture(raised)
      session.captured = raised
    end
    return raised
  end
  local values = table.pack(xpcall(function()
    debug.sethook(on_line, "l")
    return f()
  end, keep_frames))
  debug.sethook()
  if values[1] then return table.unpack(values, 2, values.n) end
  if values[2] ~= quit then error(values[2], 0) end
end

--- Reads commands in the frames of the last error.
function debugger.post_mortem(session)
  if not session.frames or not session.frames[1] then return write "no error yet\n" end
  interact(session, session.frames, {}, nil)
end

return debugger
