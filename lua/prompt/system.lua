-- system.lua: the prompt's connection to the system: the current folder, the environment, lines of the shell, the window, a pager.
local system = {}

local function write(...) io.stdout:write(...) end

local before -- the folder to which `:cd -` returns

--- `:cd FOLDER`: changes the current folder. Without a folder it goes home, and `-` goes back. Returns a message on failure.
function system.change_folder(session, folder)
  local here = session.change_folder()
  if folder == "" or folder == "~" then folder = os.getenv "HOME" or "/" end
  if folder == "-" then folder = before or here end
  folder = folder:gsub("^~/", (os.getenv "HOME" or "") .. "/"):gsub("^([\"'])(.*)%1$", "%2")
  local now, message = session.change_folder(folder)
  if not now then return message end
  before = here
  write(now, "\n")
end

--- `:env`, `:env NAME`, `:env NAME=VALUE` (or, as in IPython, `NAME VALUE`): shows or sets variables of the environment.
function system.environment(session, text)
  local name, value = text:match "^([%a_][%w_]*)%s*[=%s]%s*(.*)$"
  if name then return not session.set_environment(name, value) and "the environment takes no such name" or nil end
  if text ~= "" then return write(os.getenv(text) or ("%s is not set"):format(text), "\n") end
  local all = session.environment()
  table.sort(all)
  for _, line in ipairs(all) do write(line, "\n") end
end

--- Returns the lines that a command of the shell prints: `files = !ls`.
function system.lines(command)
  local pipe, lines = assert(io.popen(command)), {}
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

-- Returns the number of rows that a text takes in a window.
local function rows_of(text, columns)
  local rows = 0
  for line in text:gmatch "[^\n]*" do rows = rows + math.max(1, ((utf8.len(line) or #line) + columns - 1) // columns) end
  return rows
end

--- Writes a text. If it is longer than the window, writes it through $PAGER, or less if there is one.
function system.page(session, text)
  local columns, rows
  if session.edits ~= false then columns, rows = session.window() end
  local pager = os.getenv "PAGER" or os.execute "command -v less >/dev/null 2>&1" and "less -R"
  if not columns or rows_of(text, columns) < rows or not pager or pager == "" then return write(text, "\n") end
  io.stdout:flush()
  local pipe = io.popen(pager, "w")
  if not pipe then return write(text, "\n") end
  pipe:write(text, "\n")
  pipe:close()
end

return system
