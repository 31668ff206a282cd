-- names.lua: every public name with its help in pieces, for the programs of this folder. Run by tocha.
local help = torch._part "help"
local read = torch._part "signature"
local names = {}

-- "name(a, b) -> Tensor\n    What it does.\n    A paragraph." and so on, as a list of {text, list, result, doc, details}.
local function signatures_of(text)
  local out = {}
  for line in text:gmatch "[^\n]+" do
    local words, last = line:match "^    (.*)$", out[#out]
    if not words then
      local list, result = line:match "^[%w_]+(%b())%s*%-?>?%s*(.-)$"
      out[#out + 1] = {text = line, list = list, result = result ~= "" and result or nil}
    elseif last.doc then
      last.details = words
    else
      last.doc = words
    end
  end
  return out
end

-- The parameters of a list in parentheses; nil where it is told in words.
local function parameters_of(list)
  list = list:sub(2, -2):gsub("=%b()", function(tuple) return "=" .. tuple:gsub(",", ";") end):gsub(",?%s*%*%*[%w_]+", "")
  list = list:gsub("=%b{}", function(tuple) return "=" .. tuple:gsub(",", ";") end):gsub(",%s*%.%.%.$", ""):gsub("pair ", "table ")
  local fine, parameters = pcall(read.parameters, list, "")
  return fine and parameters or nil
end

local function kind_of(path, value)
  if help.is_namespace(value) then return "namespace" end
  if path:find "^torch%.Tensor%.%a" then return type(value) == "function" and "method" or "attribute" end
  if path:find "^torch%.nn%.Module%." or path:find "^torch%.optim%.Optimizer%." or path:find "^torch%.Generator%." then return "method" end
  if type(value) == "function" and not path:find "^torch%.optim%.%u" then return "function" end
  local metatable = debug.getmetatable(value)
  if type(value) == "function" or type(metatable) == "table" and type(value) == "table" and rawget(metatable, "__call") then return "class" end
  return "constant"
end

--- A list of {path, space, name, kind, value, signatures}, in order of their paths.
function names.all()
  local out = {}
  help.each(function(path, value)
    local space, name = path:match "^(.*)%.([^.]+)$"
    local entry = {path = path, space = space, name = name, kind = kind_of(path, value), value = value}
    entry.signatures = signatures_of(help.of(value, path, torch._list_help(value)) or "")
    for _, s in ipairs(entry.signatures) do s.parameters = s.list and parameters_of(s.list) end
    local block = help.example(path)
    entry.example, entry.needs_gpu = block and torch._part "help.example".text(block), block and block.gpu
    out[#out + 1] = entry
  end)
  return out
end

--- The same by namespace: a list of spaces in order, and the entries of each.
function names.by_space()
  local spaces, entries = {}, {}
  for _, entry in ipairs(names.all()) do
    if entry.kind ~= "namespace" then
      if not entries[entry.space] then
        entries[entry.space] = {}
        spaces[#spaces + 1] = entry.space
      end
      table.insert(entries[entry.space], entry)
    end
  end
  table.sort(spaces)
  return spaces, entries
end

return names
