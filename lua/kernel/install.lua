-- install.lua: makes this program known to Jupyter by a folder with a file kernel.json where Jupyter looks for kernels.
local torch = ...
local json, shell = torch._part "tools.json", torch._part "tools.shell"

-- Returns the folder of a user's kernels, or of those of a prefix.
local function kernels_folder(prefix)
  if prefix then return prefix .. "/share/jupyter/kernels" end
  local data = os.getenv "JUPYTER_DATA_DIR"
  if data then return data .. "/kernels" end
  local home = os.getenv "HOME" or error("HOME is not set; name a prefix", 0)
  if torch._io.is_folder(home .. "/Library/Jupyter") then return home .. "/Library/Jupyter/kernels" end
  return (os.getenv "XDG_DATA_HOME" or home .. "/.local/share") .. "/jupyter/kernels"
end

-- Returns the path of a program that was started by its name alone: the first of this name in a folder of PATH.
local function in_path(name)
  for folder in (os.getenv "PATH" or ""):gmatch "[^:]+" do
    if torch._io.is_folder(folder .. "/" .. name) == false then return folder .. "/" .. name end
  end
  return name
end

-- Returns the program's absolute path.
local function absolute(program)
  if not program:find "/" then program = in_path(program) end
  if program:sub(1, 1) == "/" then return program end
  local _, _, folder = torch._process()
  return folder .. "/" .. program
end

--- Writes the file for (program, prefix), and returns its path.
return function(program, prefix)
  local folder = kernels_folder(prefix) .. "/tocha"
  shell.make_folders(folder)
  local path = folder .. "/kernel.json"
  local file, message = io.open(path, "w")
  if not file then error(message, 0) end
  file:write(json.write {argv = json.array {absolute(program), "--kernel", "{connection_file}"}, display_name = "Lua (Tocha)", language = "lua",
    interrupt_mode = "signal", metadata = {debugger = false}}, "\n")
  local written, problem = file:close()
  if not written then error(problem, 0) end
  return path
end
