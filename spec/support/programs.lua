-- programs.lua: the programs that specs start: tocha (TOCHA names it; torch.so is beside it) and stock Lua (LUA).
local programs = {}

programs.tocha = os.getenv "TOCHA" or "build/tocha"
programs.lua = os.getenv "LUA" or "lua5.4"
programs.folder = programs.tocha:match "^(.*)/[^/]*$" or "."

-- Returns a word quoted for the shell.
function programs.quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Returns the contents of a file, or nil if it does not exist.
function programs.read(name)
  local file = io.open(name, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

function programs.write(name, text)
  local file = assert(io.open(name, "wb"))
  file:write(text)
  file:close()
end

-- Returns the output of a shell command, errors included.
function programs.output(command)
  local pipe = io.popen("{ " .. command .. "\n} 2>&1")
  local text = pipe:read "a"
  pipe:close()
  return text
end

-- Returns tocha's output for a program. before: words before the command, after: words after it.
function programs.run(text, before, after)
  local name = os.tmpname()
  programs.write(name, text)
  local output = programs.output(("%s %s %s %s"):format(before or "", programs.quote(programs.tocha), name, after or ""))
  os.remove(name)
  return output
end

return programs
