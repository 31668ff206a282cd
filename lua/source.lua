-- source.lua: the lines of a chunk that runs, found by what debug.getinfo calls its source: for warnings that depend on how a line reads.
local source = {}

-- The text of a chunk; nil where nobody knows it.
local function text_of(name)
  if name:sub(1, 1) == "@" then
    local file <close> = io.open(name:sub(2), "rb")
    return file and file:read "a"
  elseif name:sub(1, 1) ~= "=" then
    return name
  end
  local session = debug.getregistry()["tocha.parts"]["prompt.session"]
  return session and session.entry(name:sub(2))
end

--- The lines from first to last, joined; nil where the chunk's text is not known. torch's own parts have none.
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

--- One line.
function source.line(name, number) return source.lines(name, number, number) end

return source
