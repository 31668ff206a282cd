-- reload.lua: loads the user's libraries again that have changed since they were required (`:reload`, `:autoreload`).
local reload = {}

local known = {} -- name -> the text of the library's file when it was last read

local function text_of(name)
  local path = package.searchpath(name, package.path)
  local file = path and io.open(path, "rb")
  local text = file and file:read "a"
  if file then file:close() end
  return text, path
end

-- Returns the required libraries that are Lua files.
local function libraries()
  local names = {}
  for name, value in next, package.loaded do
    if type(name) == "string" and value ~= nil and not package.preload[name] and package.searchpath(name, package.path) then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return names
end

--- Notes the contents of the files. Those that change later are loaded again.
function reload.watch()
  for _, name in ipairs(libraries()) do known[name] = known[name] or text_of(name) end
end

-- Replaces the contents of the old table by those of the new one, because the program holds references to the old one.
local function take_over(old, new)
  for key in next, old do
    if rawget(new, key) == nil then old[key] = nil end
  end
  for key, value in next, new do rawset(old, key, value) end
  debug.setmetatable(old, debug.getmetatable(new))
  return old
end

--- Loads a library again. A table stays the same object, with the new contents. Raises if loading raises, and then changes nothing.
function reload.one(name)
  local old = package.loaded[name]
  if old == nil then error(("'%s' was not required"):format(name), 0) end
  package.loaded[name] = nil
  local done, new = pcall(require, name)
  if not done then
    package.loaded[name] = old
    error(new, 0)
  end
  known[name] = text_of(name)
  if type(old) == "table" and type(new) == "table" and old ~= new then package.loaded[name] = take_over(old, new) end
end

--- Loads the libraries again whose files have changed. Returns their names.
function reload.changed()
  local names = {}
  for _, name in ipairs(libraries()) do
    local text = text_of(name)
    if known[name] and text ~= known[name] then
      known[name] = text -- even if loading fails, so that it is not tried again before the next change
      reload.one(name)
      names[#names + 1] = name
    end
    known[name] = known[name] or text
  end
  return names
end

--- Loads changed libraries before an entry, and prints a line for each. An error is printed, and the entry still runs.
function reload.report()
  local done, names = pcall(reload.changed)
  if not done then io.stderr:write("not loaded again: ", tostring(names):match "^[^\n]*", "\n") end
  for _, name in ipairs(done and names or {}) do io.stdout:write("loaded again: ", name, "\n") end
end

return reload
