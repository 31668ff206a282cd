-- shell.lua: quotes words for the shell, makes folders.
local torch = ...
local make_folder = torch._io.make_folder
local shell = {}

--- Returns a word in quotes, whatever characters it has.
function shell.quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- Makes a folder and its parents.
function shell.make_folders(path)
  for at in path:gmatch "()/" do
    if at > 1 then make_folder(path:sub(1, at - 1)) end
  end
  make_folder(path)
end

return shell
