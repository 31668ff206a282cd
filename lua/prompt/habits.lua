-- habits.lua: what users of Python type. What means the same in Lua and is no Lua is understood; the rest gets the hints of hints.lua.
local habits = {}

local function assign(name, path)
  if path == "numpy" then path = "torch.numpy" end
  if path == "matplotlib.pyplot" then path = "torch.plot" end
  local first = path:match "^[^.]+"
  if first ~= "torch" and first ~= "torchvision" then return nil end
  return ("%s = require %q"):format(name, path)
end

local function import(line)
  local path, name = line:match "^import ([%w_.]+) as ([%w_]+)$"
  if path then return assign(name, path) end
  path = line:match "^import ([%w_.]+)$"
  if path then return path:find "%." and assign("local _", path) or assign(path, path) end
  local from, names = line:match "^from ([%w_.]+) import ([%w_, ]+)$"
  if not from then return nil end
  local out = {}
  for item in names:gmatch "[^,]+" do
    local field, as = item:match "^%s*([%w_]+) as ([%w_]+)%s*$"
    field = field or item:match "^%s*([%w_]+)%s*$"
    if not field or from:match "^[^.]+" ~= "torch" then return nil end
    out[#out + 1] = ("%s = require(%q).%s"):format(as or field, from, field)
  end
  return table.concat(out, "; ")
end

local forms = {
  {"^exit$", "os.exit(true, true)"}, {"^exit%(%)$", "os.exit(true, true)"}, {"^quit$", "os.exit(true, true)"}, {"^quit%(%)$", "os.exit(true, true)"},
  {"^print ([^(].*)$", "print(%1)"},
  {"^([%a_][%w_.]*)%s*%+=%s*(.+)$", "%1 = %1 + (%2)"}, {"^([%a_][%w_.]*)%s*%-=%s*(.+)$", "%1 = %1 - (%2)"},
  {"^([%a_][%w_.]*)%s*%*=%s*(.+)$", "%1 = %1 * (%2)"}, {"^([%a_][%w_.]*)%s*/=%s*(.+)$", "%1 = %1 / (%2)"},
  {"^([%a_][%w_.]*)%s*@%s*([%a_][%w_.]*)$", "return (%1):matmul(%2)"},
}

--- An entry that is no Lua as the Lua it means, or nil. Only single lines.
function habits.rewrite(text)
  local line = text:match "^%s*([^\n]-)%s*$"
  if not line then return nil end
  local imported = import(line)
  if imported then return imported end
  for _, form in ipairs(forms) do
    if line:find(form[1]) then return (line:gsub(form[1], form[2])) end
  end
end

--- A session copied with its prompts, without them and what was printed between.
function habits.unprompted(text)
  if not text:find "^%s*> " then return text end
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local code = line:match "^%s*>>? (.*)$"
    if code then lines[#lines + 1] = code end
  end
  return table.concat(lines, "\n")
end

local names = {True = "true", False = "false", None = "nil"}

--- Where an entry that is only a name was nil: what the name is in Lua.
function habits.explain_nil(text)
  local name = text:match "^%s*([%a_][%w_]*)%s*$"
  if names[name] then io.stderr:write(("hint: %s is %s in Lua\n"):format(name, names[name])) end
end

return habits
