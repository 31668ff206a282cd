-- shell.lua: commands for specs that compile, install or start programs.
local shell = {}

-- Returns what a command prints, and raises that if it fails.
function shell.run(command)
  local pipe = assert(io.popen("{ " .. command .. "\n} 2>&1"))
  local printed = pipe:read "a"
  local ok = pipe:close()
  if not ok then error(command .. "\n" .. printed, 2) end
  return printed
end

-- Returns true if there is a program of this name.
function shell.has(tool) return os.execute("command -v " .. tool .. " >/dev/null 2>&1") == true end

return shell
