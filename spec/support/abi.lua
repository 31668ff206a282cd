-- abi.lua: what programs that were compiled against libtocha rely on, as a list of lines, and what a newer list breaks of an
-- older one. A line is a key of two words and what may not change behind it:
--
--   function NAME result(types)       struct NAME {type field; ...}       layout NAME size: offset ...       enumerator NAME value
--
-- A plus before the braces or the size marks a struct that may grow at its end. The lists come from tocha_api.json
-- (runtime/list/write_api.lua); the layouts from a program that the C compiler makes of it.
local programs = require "programs"
local abi = {}

-- Structs that only the library creates, and hands out by pointer: fields may be added at their end. So they may to structs that
-- begin with their size.
local CREATED = {tocha_op = true, tocha_module_class = true, tocha_initializer = true, tocha_error_info = true}

-- Returns "+ " if the struct may grow, else "".
local function growth(struct) return (CREATED[struct.name] or struct.fields[1].name == "struct_size") and "+ " or "" end

local function types(list)
  local out = {}
  for i, p in ipairs(list) do out[i] = p.type end
  return table.concat(out, ", ")
end

local function fields(list)
  local out = {}
  for i, field in ipairs(list) do
    out[i] = field.type .. (field.fields and " " .. fields(field.fields) or "") .. " " .. field.name .. ";"
  end
  return "{" .. table.concat(out, " ") .. "}"
end

-- Returns true for an enumerator that counts others, or that grows with the lists.
local function counts(name) return name:find "_COUNT$" ~= nil end

--- Returns the lines of an interface (tocha_api.json, decoded), without the layouts.
function abi.lines(api)
  local out = {}
  for _, f in ipairs(api.functions) do
    if not f.inline then out[#out + 1] = ("function %s %s(%s)"):format(f.name, f.result, types(f.parameters)) end
  end
  for _, s in ipairs(api.structs) do out[#out + 1] = ("struct %s %s%s"):format(s.name, growth(s), fields(s.fields)) end
  for _, e in ipairs(api.enums) do
    for _, item in ipairs(e.values) do
      if not counts(item.name) then out[#out + 1] = ("enumerator %s %d"):format(item.name, item.value) end
    end
  end
  table.sort(out)
  return out
end

local function folders_of(build) return {"runtime/include", "bindings/include", build .. "/generated/include"} end

-- Returns the folder of Lua's headers that the build took, or nil.
local function lua_headers(build)
  local found = (programs.read(build .. "/CMakeCache.txt") or ""):match "\nLUA_INCLUDE:PATH=([^\n]*)"
  return found and not found:find "NOTFOUND" and found or nil
end

--- Returns the interface of <tocha/lua.h>, as tocha_api.json has that of <tocha/tocha.h>, or nil if the build has no headers of Lua.
function abi.of_lua(build)
  local lua = lua_headers(build)
  if not lua then return nil end
  local all = require "declarations".read(programs.output(("cc -E -C -dD -std=c11 -I%s -I%s bindings/include/tocha/lua.h")
    :format(table.concat(folders_of(build), " -I"), lua)))
  for _, kind in ipairs {"functions", "structs", "enums"} do
    local own = {}
    for _, entry in ipairs(all[kind]) do if entry.header:find "^tocha/lua" then own[#own + 1] = entry end end
    all[kind] = own
  end
  return all
end

--- Returns the lines of the layouts, as the C compiler sees them, or nil if there is none. header: the one with all of the structs.
function abi.layouts(api, build, header)
  local folders = folders_of(build)
  folders[#folders + 1] = lua_headers(build)
  local text = {"#include <stdio.h>\n#include <" .. header .. ">\nint main(void) {\n"}
  for _, s in ipairs(api.structs) do
    text[#text + 1] = ('printf("layout %s %s%%zu:", sizeof(struct %s));\n'):format(s.name, growth(s), s.name)
    for _, field in ipairs(s.fields) do
      text[#text + 1] = ('printf(" %%zu", offsetof(struct %s, %s));\n'):format(s.name, field.name)
    end
    text[#text + 1] = 'printf("\\n");\n'
  end
  text[#text + 1] = "}\n"
  local name = os.tmpname()
  programs.write(name .. ".c", table.concat(text))
  local listed = programs.output(("cc -std=c11 -I%s -o %s %s.c && %s"):format(table.concat(folders, " -I"), name, name, name))
  os.remove(name .. ".c")
  os.remove(name)
  local out = {}
  for line in listed:gmatch "[^\n]+" do out[#out + 1] = line end
  table.sort(out)
  return listed:find "^layout" and out or nil, listed
end

local function by_key(lines)
  local out = {}
  for _, line in ipairs(lines) do
    local key, rest = line:match "^(%l+ [%w_]+) (.*)$"
    if key then out[key] = rest end
  end
  return out
end

-- Returns true if the second description has all of the first and adds to its end.
local function is_longer(kind, old, new)
  if not old:find "^%+" or not new:find "^%+" then return false end
  if kind == "struct" then return new:sub(1, #old - 1) == old:sub(1, -2) end
  return kind == "layout" and new:match ":.*":sub(1, #old:match ":.*") == old:match ":.*"
end

--- Returns what the new lines break of the old ones, a sentence each, in the order of the old. What is added breaks nothing.
function abi.breaks(old, new)
  local out, now = {}, by_key(new)
  for _, line in ipairs(old) do
    local kind, name, was = line:match "^(%l+) ([%w_]+) (.*)$"
    local is = kind and now[kind .. " " .. name]
    if kind and not is then
      out[#out + 1] = ("%s %s is gone"):format(kind, name)
    elseif kind and is ~= was and not is_longer(kind, was, is) then
      out[#out + 1] = ("%s %s was %s, is %s"):format(kind, name, was, is)
    end
  end
  return out
end

return abi
