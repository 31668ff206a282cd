-- habits.lua: entries that users of Python type. Accepts Python input that is not valid Lua but has an obvious meaning.
-- Everything else gets a hint (lua/hints/).
local torch = ...
local habits = {}

-- The counterparts of Python's packages.
local packages = {numpy = "torch.numpy", ["matplotlib.pyplot"] = "torch.plot", tqdm = "torch", torchvision = "torch.vision",
  torchmetrics = "torch.metrics", torchinfo = "torch"}

-- Returns the module for a path of Python's, or nil.
local function module_of(path)
  if packages[path] then return packages[path] end
  path = path:gsub("^[^.]+", function(first) return packages[first] end)
  return path:find "^torch%f[.%z]" and path or nil
end

local function assign(name, path)
  if type(rawget(_G, path)) == "table" and name == path then return "local _" end -- math, os: they exist already
  local module = module_of(path)
  return module and ("%s = require %q"):format(name, module)
end

-- Translates one `import`, without anything that may follow a comma.
local function import_one(line)
  local path, name = line:match "^import ([%w_.]+) as ([%w_]+)$"
  if path then return assign(name, path) end
  path = line:match "^import ([%w_.]+)$"
  if path then return path:find "%." and assign("local _", path) or assign(path, path) end
  local module
  local from, names = line:match "^from ([%w_.]+) import ([%w_, ]+)$"
  module = from and module_of(from)
  if not module then return nil end
  local out = {}
  for item in names:gmatch "[^,]+" do
    local field, as = item:match "^%s*([%w_]+) as ([%w_]+)%s*$"
    field = field or item:match "^%s*([%w_]+)%s*$"
    if not field then return nil end
    out[#out + 1] = ("%s = require(%q).%s"):format(as or field, module, field)
  end
  return table.concat(out, "; ")
end

local function trimmed(text) return text:match "^%s*(.-)%s*$" end

-- Returns Lua's statements for the imports of a statement, or nil if it has none, or one that has no counterpart.
local function imports(statement)
  local list, out = statement:match "^import (.+)$", {}
  if not list then return {import_one(statement)} end
  for item in list:gmatch "[^,]+" do
    local lua = import_one("import " .. trimmed(item))
    if not lua then return {} end
    out[#out + 1] = lua
  end
  return out
end

-- Translates a line that begins with an import. Other imports, or any statements, may follow a semicolon.
local function import(line)
  if not line:find "^import%s" and not line:find "^from%s" then return nil end
  local out = {}
  for statement in line:gmatch "[^;]+" do
    statement = trimmed(statement)
    local lua = table.concat(imports(statement), "; ")
    if lua == "" and #out == 0 then return nil end
    out[#out + 1] = lua ~= "" and lua or statement
  end
  return table.concat(out, "; ")
end

local forms = {
  {"^print ([^(].*)$", "print(%1)"},
  {"^([%a_][%w_.]*)%s*%+=%s*(.+)$", "%1 = %1 + (%2)"}, {"^([%a_][%w_.]*)%s*%-=%s*(.+)$", "%1 = %1 - (%2)"},
  {"^([%a_][%w_.]*)%s*%*=%s*(.+)$", "%1 = %1 * (%2)"}, {"^([%a_][%w_.]*)%s*/=%s*(.+)$", "%1 = %1 / (%2)"},
  {"^([%a_][%w_.]*)%s*%*%*=%s*(.+)$", "%1 = %1 ^ (%2)"}, {"^([%a_][%w_.]*)%s*//=%s*(.+)$", "%1 = %1 // (%2)"},
  {"^([%a_][%w_.]*)%s*%%=%s*(.+)$", "%1 = %1 %% (%2)"},
  {"^([%a_][%w_.]*)%s*@%s*([%a_][%w_.]*)$", "return (%1):matmul(%2)"},
  {"^([%a_][%w_]*)%s*=%s*([%a_][%w_.]*)%s*@%s*([%a_][%w_.]*)$", "%1 = (%2):matmul(%3)"},
}

-- IPython's commands, and their names at the prompt.
local magics = {timeit = "timeit", time = "time", prun = "profile", who = "vars", whos = "vars", run = "load", history = "history", hist = "history",
  edit = "edit", save = "save", tb = "trace", debug = "debug", cd = "cd", env = "env", reset = "reset", page = "page", load = "insert"}

-- Commands that may stand alone above a cell.
local of_cells = {timeit = true, time = true, prun = true}

-- IPython's commands that are commands of the shell.
local shell = {ls = true, pwd = true, cat = true, cp = true, mv = true, mkdir = true, pip = true, ll = "ls -l"}

-- Translates several lines, with imports and statements among them.
local function rewrite_lines(text)
  local out, changed = {}, false
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local lua = import(line:match "^(.-)%s*$")
    for _, form in ipairs(forms) do
      if not lua and not form[2]:find "^return" and line:find(form[1]) then lua = line:gsub(form[1], form[2]) end
    end
    changed = changed or lua ~= nil
    out[#out + 1] = lua or line
  end
  return changed and table.concat(out, "\n") or nil
end

--- Returns the Lua that an entry which is not Lua means, or nil.
function habits.rewrite(text)
  local line = text:match "^%s*([^\n]-)%s*$"
  if not line then return rewrite_lines(text) end
  if line:find "^%%matplotlib%f[%W]" or line:find "^%%load_ext%s" then return "local _" end -- built in: there is nothing to load
  local name, command = line:match "^([%a_][%w_]*)%s*=%s*!(.+)$"
  if name then return ("%s = _LINES(%q)"):format(name, command) end
  local imported = import(line)
  if imported then return imported end
  for _, form in ipairs(forms) do
    if line:find(form[1]) then return (line:gsub(form[1], form[2])) end
  end
end

--- Returns true if a line stands above a cell that is still to come: %%time.
function habits.awaits_cell(text) return of_cells[text:match "^%s*%%%%(%l+)%s*$"] == true end

--- Returns the command of the prompt that an entry of IPython's means: `exit()`, `name?`, `%timeit x`; or nil. names: the
-- session's.
function habits.command(text, names)
  local line = text:match "^%s*([^\n]-)%s*;?%s*$"
  local leaves = line and line:match "^(%l+)$" or line and line:match "^(%l+)%(%)$"
  if (leaves == "exit" or leaves == "quit") and rawget(names, leaves) == nil and rawget(_G, leaves) == nil then return ":q" end
  if (line == "help" or line == "help()") and rawget(names, "help") == nil then return ":help" end
  local name, marks = (line or ""):match "^([%a_][%w_.:]*)(%?%??)$"
  if name then return marks .. name end
  local cell, body = text:match "^%s*%%%%(%l+)[^\n]*\n(.+)$"
  if cell and of_cells[cell] then return ":" .. magics[cell] .. " " .. body end
  if habits.awaits_cell(text) then return nil end
  local magic, rest = (line or ""):match "^%%%%?(%l+)(.*)$"
  if magic == "autoreload" then return rest:find "0" and ":autoreload off" or ":autoreload on" end
  if magic == "set" and rest:find "^_env%s" then return ":env" .. rest:sub(5) end
  if magic and shell[magic] then return "!" .. (shell[magic] == true and magic or shell[magic]) .. rest end
  return magic and magics[magic] and ":" .. magics[magic] .. rest or nil
end

--- Returns true if an entry begins a block of Python's, which no further line makes valid Lua: `for x in y:`.
function habits.is_block(text)
  local line = (text:match "^%s*([^\n]*)" or ""):gsub("%b\"\"", ""):gsub("%b''", ""):gsub("%-%-.*", "")
  local word, rest = line:match "^(%l+)(.*)$"
  if text:find "\n" and not line:find ":%s*$" then return false end
  return (word == "for" or word == "while" or word == "if" or word == "try" or word == "else") and rest:find ":%f[%s%z]" ~= nil
end

--- Returns the entries of a copied session, without its prompts and the output between them.
function habits.unprompted(text)
  text = text:gsub("^%s*%$ [^\n]*\n", "", 1) -- the shell's line that started the session
  if not text:find "^%s*> " then return text end
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local code = line:match "^%s*>>? (.*)$"
    if code then lines[#lines + 1] = code end
  end
  return table.concat(lines, "\n")
end

local names = {True = "True is true in Lua", False = "False is false in Lua", None = "None is nil in Lua", ls = "!ls is the shell's",
  pwd = "!pwd is the shell's", clear = "Ctrl-L clears the window", cls = "Ctrl-L clears the window", pass = "an empty block needs nothing between do and end",
  vim = ":edit opens the last entry in your editor", who = ":vars lists your variables"}

local compared = {["=="] = "eq", ["~="] = "ne"}

-- Returns the likely meaning of an entry with one value, or nil if the entry is clear.
local function hint_for(text, value, names_of_session)
  local name = text:match "^%s*([%a_][%w_]*)%s*;?%s*$"
  if name and (value == nil or type(value) == "boolean") then return names[name] end
  local asked = value == "userdata" and text:match "^%s*type%(%s*([%a_][%w_]*)%s*%)%s*;?%s*$"
  if asked then return (":type %s tells what it is; torch.is_tensor(%s), %s:type()"):format(asked, asked, asked) end
  local left, sign, right = text:match "^%s*([%a_][%w_]*)%s*([=~]=)%s*([%w_.%-]+)%s*$"
  local tensor = left and type(value) == "boolean" and names_of_session[left]
  if tensor ~= nil and torch.is_tensor(tensor) then
    return ("%s asks whether it is the same object; the elements are compared by %s:%s(%s)"):format(sign, left, compared[sign], right)
  end
end

--- Prints a hint after a value if a user of Python probably meant something else.
function habits.explain(text, value, names_of_session)
  local hint = hint_for(text, value, names_of_session)
  if hint then io.stderr:write("hint: ", hint, "\n") end
end

return habits
