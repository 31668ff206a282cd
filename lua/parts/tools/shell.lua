-- shell.lua: quotes words for the shell, reads what programs print, makes folders.
local torch = ...
local make_folder = torch._io.make_folder
local shell = {}

--- Returns a word in quotes, whatever characters it has.
function shell.quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- Returns the first line that a command prints, or nil if it prints none.
function shell.first_line(command)
  local pipe <close> = io.popen(command)
  local line = pipe and pipe:read "l"
  return line ~= "" and line or nil
end

--- Makes a folder and its parents.
function shell.make_folders(path)
  for at in path:gmatch "()/" do
    if at > 1 then make_folder(path:sub(1, at - 1)) end
  end
  make_folder(path)
end

return shell
