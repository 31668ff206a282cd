-- declarations.lua: reads the declarations of the public headers from what `cc -E -C -dD` makes of <tocha/tocha.h>: functions,
-- structs, enumerators, constants. write_api.lua writes them as JSON.
--
-- It reads the C that our headers are written in, no more: a typedef with the name of its tag, one declaration an item, a comment
-- directly before it.
local declarations = {}

local function trim(text) return (text:gsub("%s+", " "):match "^ ?(.-) ?$") end

-- Returns the text of a comment without its marks.
local function prose(comment) return trim((comment:gsub("^/%*+", ""):gsub("%*/$", ""):gsub("\n%s*%*", "\n"))) end

-- Returns the lines that come from headers of tocha/. A line "@tocha/NAME.h" stands where another one begins. The second result
-- maps names of macros to their values: numbers, texts and expressions.
local function own_lines(text)
  local out, constants, header = {}, {}, nil
  for line in text:gmatch "[^\n]*" do
    local path = line:match '^# %d+ "([^"]*)"'
    if path then
      local name = path:match "(tocha/[%w_/]+%.[hd]e?f?)$"
      if name ~= header and name then out[#out + 1] = "@" .. name end
      header = name
    elseif header then
      local name, value = line:match "^#define (TOCHA_[%u%d_]+) (%S.*)$"
      if name and not value:find "__attribute__" then constants[#constants + 1] = {name = name, value = value, header = header} end
      if not line:find "^#" then out[#out + 1] = line end
    end
  end
  return table.concat(out, "\n"), constants
end

-- Returns an iterator over the items of the text: "header", "comment" or "code", its text, and true if an empty line precedes it.
-- Code ends with a semicolon or a function's body at depth 0.
local function items(text)
  local at = 1
  return function()
    local apart = text:find("^[ \t]*\n[ \t]*\n", at) ~= nil
    at = text:find("%S", at)
    if not at then return nil end
    local line = text:match("^@([^\n]+)", at)
    if line then
      at = at + #line + 1
      return "header", line
    end
    if text:find("^/%*", at) then
      local _, stop = text:find("*/", at, true)
      local comment = text:sub(at, stop)
      at = stop + 1
      return "comment", comment, apart
    end
    local depth, from = 0, at
    while true do
      local i, _, c = text:find("([{}();/])", at)
      if not i then error("a declaration without an end: " .. text:sub(from, from + 80)) end
      at = i + 1
      if c == "/" and text:find("^%*", at) then
        at = select(2, text:find("*/", at, true)) + 1
      elseif c == "{" or c == "(" then
        depth = depth + 1
      elseif c == "}" or c == ")" then
        depth = depth - 1
      end
      if depth == 0 and (c == ";" or c == "}" and text:find("^static", from)) then break end
    end
    return "code", text:sub(from, at - 1), apart
  end
end

local function without_comments(text)
  return trim((text:gsub("/%*.-%*/", " "):gsub("@[^\n]+", " "):gsub("_Bool", "bool")))
end

-- Returns the parts of a list between commas that stand in no parentheses.
local function split(list)
  local out, depth, from = {}, 0, 1
  for i = 1, #list + 1 do
    local c = i > #list and "," or list:sub(i, i)
    if c == "(" or c == "{" then depth = depth + 1 elseif c == ")" or c == "}" then depth = depth - 1 end
    if c == "," and depth == 0 then
      out[#out + 1] = trim(list:sub(from, i - 1))
      from = i + 1
    end
  end
  return out
end

-- Returns {name, type} of "const char *name", "char text[24]" or "void (*release)(void *user)".
local function declarator(text)
  local before, name, after = text:match "^(.-%(%*)%s*([%w_]+)(%).*)$"
  if not before then before, name, after = text:match "^(.-)([%w_]+)%s*(%[.*%])$" end
  if not before then before, name, after = text:match "^(.-)([%w_]+)$", text:match "([%w_]+)$", "" end
  return {name = name, type = trim((after == "" and text:match "^(.-)[%w_]+$" or before .. after))}
end

local function parameters(list)
  local out = {}
  for _, text in ipairs(list == "void" and {} or split(list)) do
    out[#out + 1] = text == "..." and {name = "...", type = "..."} or declarator(text)
  end
  return out
end

local fields

-- Returns the fields that one declaration of a struct declares: usually one, or several after one type.
local function declared(text)
  local keyword, body, name = text:match "^(%l+) %b{}", text:match "(%b{})", text:match "([%w_]+)$"
  if keyword == "union" or keyword == "struct" then return {{name = name, type = keyword, fields = fields(body)}} end
  local parts = split(text)
  local first = declarator(parts[1])
  local out, base = {first}, first.type:match "^(.-)[ *]*$"
  for i = 2, #parts do
    local stars, other = parts[i]:match "^(%**)(.+)$"
    out[i] = declarator(base .. " " .. stars .. other)
  end
  return out
end

-- Returns the fields between the braces of a struct or union.
function fields(body)
  local out = {}
  for kind, text in items(body:sub(2, -2)) do
    if kind == "code" then
      for _, field in ipairs(declared(without_comments(text):match "^(.-) ?;$")) do out[#out + 1] = field end
    end
  end
  return out
end

-- Returns the enumerators between the braces, with their values. `known`: the enumerators before them.
local function enumerators(body, known)
  local out, value = {}, -1
  for _, text in ipairs(split(without_comments(body:sub(2, -2)))) do
    if text ~= "" then
      local name, expression = text:match "^([%w_]+) ?=? ?(.*)$"
      value = expression == "" and value + 1 or assert(load("return " .. expression, name, "t", known))()
      known[name] = value
      out[#out + 1] = {name = name, value = value}
    end
  end
  return out
end

local Reader = {}   -- header: the current one; doc: the comment before the next item; known: enumerators by name
Reader.__index = Reader

function Reader:add(list, entry)
  entry.header, entry.doc = self.header, self.doc
  table.insert(self.out[list], entry)
end

-- Reads a function or a function with a body, which has no symbol.
function Reader:call(text)
  local plain = without_comments(text)
  local inline = plain:find "^static" ~= nil
  plain = plain:gsub("^static inline ", ""):gsub("__attribute__ ?%(%b()%)", ""):gsub("%b{}$", ""):gsub(";$", "")
  local result, name, list = trim(plain):match "^(.-)([%w_]+) ?(%b())$"
  self:add("functions", {name = name, result = trim(result), parameters = parameters(trim(list:sub(2, -2))), inline = inline})
end

function Reader:code(text)
  local plain = without_comments(text)
  for pointed in plain:gmatch "struct ([%w_]+) ?%*" do self.opaque[pointed] = self.opaque[pointed] or self.header end
  local keyword, name = plain:match "^typedef (%l+) ?([%w_]*) ?{"
  if not keyword then keyword, name = plain:match "^(%l+) ?([%w_]*) ?{" end
  if keyword == "enum" then
    self:add("enums", {name = name ~= "" and name or nil, values = enumerators(text:match "%b{}", self.known)})
  elseif keyword == "struct" then
    self:add("structs", {name = name, fields = fields(text:match "%b{}")})
  elseif plain:find "^typedef struct [%w_]+ [%w_]+ ?;" then
    self.opaque[plain:match "([%w_]+) ?;$"] = self.header
  elseif plain:find "^typedef" then
    self:add("types", declarator(plain:match "^typedef (.-) ?;$"))
  elseif not plain:find "^struct [%w_]+ ?;$" then
    self:call(text)
  end
end

--- Returns {functions, structs, enums, types, constants, opaque} of a preprocessed text. A function has name, result, parameters
-- {name, type} and inline; a struct fields; an enum values; opaque lists the structs that only the library sees inside.
function declarations.read(preprocessed)
  local text, constants = own_lines(preprocessed)
  local out = {functions = {}, structs = {}, enums = {}, types = {}, constants = {}, opaque = {}}
  local reader = setmetatable({out = out, known = {}, opaque = {}}, Reader)
  for kind, item, apart in items(text) do
    if kind == "header" then
      reader.header, reader.doc = item, nil
    elseif kind == "comment" then
      reader.doc = prose(item)
    else
      if apart then reader.doc = nil end
      reader:code(item)
    end
  end
  local complete, seen = {}, {}
  for _, struct in ipairs(out.structs) do complete[struct.name] = true end
  for name, header in pairs(reader.opaque) do
    if not complete[name] then out.opaque[#out.opaque + 1] = {name = name, header = header} end
  end
  table.sort(out.opaque, function(a, b) return a.name < b.name end)
  for _, constant in ipairs(constants) do
    if not seen[constant.name] then out.constants[#out.constants + 1] = constant end
    seen[constant.name] = true
  end
  return out
end

return declarations
