-- source.lua: the lines of a running chunk, found by the `source` of debug.getinfo, for warnings that depend on the text of a line.
local source = {}

-- Returns the text of a chunk, or nil if it is not known.
local function text_of(name)
  if name:sub(1, 1) == "@" then
    local file <close> = io.open(name:sub(2), "rb")
    return file and file:read "a"
  elseif name:sub(1, 1) ~= "=" then
    return name
  end
  if not (debug and debug.getregistry) then return nil end   -- a sandbox, or a host's state: without a prompt
  local session = debug.getregistry()["tocha.parts"]["prompt.session"]
  return session and session.entry(name:sub(2))
end

--- Returns the lines from first to last, joined, or nil if the chunk's text is not known, as for torch's own parts.
function source.lines(name, first, last)
  local text = text_of(name)
  if not text then return nil end
  local lines, number = {}, 0
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do
    number = number + 1
    if number >= first and number <= last then lines[#lines + 1] = line end
  end
  return table.concat(lines, "\n")
end

--- Returns one line, or nil.
function source.line(name, number) return source.lines(name, number, number) end

return source
