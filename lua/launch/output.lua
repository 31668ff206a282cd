-- output.lua: the streams of the processes: whole lines, with their rank before them, and files.
local torch = ...
local processes = torch._processes

local output = {}

-- Lines of a process that are kept, for its end: how many, and bytes of one.
local kept_lines, longest = 30, 1 << 20

local written = 0 -- lines that any process has written, by which a later one knows whether its last words still stand last

local function to_console(target, text)
  local file = target == 1 and io.stdout or io.stderr
  return file:write(text) and file:flush()
end

-- Returns the length of the whole lines of a text. A carriage return at the end may be half of a line's end.
local function length_of_lines(text)
  if #text > longest then return #text end
  return (text:gsub("\r$", "")):match "^.*()[\n\r]" or 0
end

-- Shows the whole lines of what has come. `rest` keeps the beginning of a line.
local function show(stream, text, at_end)
  text = stream.rest .. text
  local whole = at_end and #text or length_of_lines(text)
  stream.rest = text:sub(whole + 1)
  if whole == 0 then return true end
  local shown = {}
  for line, ending in text:sub(1, whole):gmatch "([^\n\r]*)(\r?\n?)" do
    if line ~= "" or ending ~= "" then
      if stream.translate then line = stream.translate(line) end
      shown[#shown + 1] = stream.prefix .. line .. (ending ~= "" and ending or "\n")
      local last = stream.last
      last[#last + 1] = line
      if #last > kept_lines then table.remove(last, 1) end
    end
  end
  written = written + #shown
  stream.number = written
  return not stream.shown or to_console(stream.target, table.concat(shown))
end

--- Makes a stream of a process: {writes = the end that the process gets}. target: 1 or 2; prefix: of its lines; path: of a log
--- file or nil; shown: on the console; translate: changes a line, or nil.
function output.open(target, prefix, path, shown, translate)
  local stream = {target = target, prefix = prefix, shown = shown, translate = translate, rest = "", last = {}, number = 0}
  if path then
    stream.file = processes.open(path, "w") or error("cannot write " .. path, 0)
  end
  if path and not shown then
    stream.writes, stream.file = stream.file, nil
    return stream
  end
  stream.reads, stream.writes = processes.pipe()
  if not stream.reads then error("too many open files: raise `ulimit -n`", 0) end
  processes.never_wait(stream.reads)
  return stream
end

--- Closes the process's end, once the process has it.
function output.started(stream)
  processes.close(stream.writes)
  stream.writes = nil
end

--- Reads once. Returns false if the console takes no more, and true if there was anything.
function output.read(stream)
  local text = processes.read(stream.reads, 1 << 16)
  if not text then return true, false end
  if text == "" then
    output.close(stream)
    return true, false
  end
  if stream.file then processes.write(stream.file, text) end
  return show(stream, text), true
end

--- Reads all that is there, up to a limit: somebody may go on writing.
function output.drain(stream)
  for _ = 1, 1000 do
    if not stream.reads then return end
    local shown, more = output.read(stream)
    if not shown or not more then return end
  end
end

--- Shows the rest of a line, and closes the stream.
function output.close(stream)
  if stream.rest ~= "" then show(stream, "", true) end
  if stream.reads then processes.close(stream.reads) end
  if stream.file then processes.close(stream.file) end
  stream.reads, stream.file = nil, nil
end

--- Returns the last lines of a stream if others have been written after them, or if it was not shown.
function output.last_words(stream)
  if #stream.last == 0 or stream.shown and stream.number == written then return nil end
  return stream.last
end

return output
