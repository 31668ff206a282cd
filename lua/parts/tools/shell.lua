-- shell.lua: words for the shell, what programs print, folders.
local torch = ...
local make_folder = torch._io.make_folder
local shell = {}

--- A word, whatever is in it.
function shell.quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- The first line that a command prints; nil where there is none.
function shell.first_line(command)
  local pipe <close> = io.popen(command)
  local line = pipe and pipe:read "l"
  return line ~= "" and line or nil
end

--- Makes a folder and those it is in.
function shell.make_folders(path)
  for at in path:gmatch "()/" do
    if at > 1 then make_folder(path:sub(1, at - 1)) end
  end
  make_folder(path)
end

return shell
