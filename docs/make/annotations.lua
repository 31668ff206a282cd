-- annotations.lua: writes what lua-language-server must know of torch, to complete and check a script in an editor.
--
--   build/tocha docs/make/annotations.lua > meta/torch.lua
package.path = arg[0]:match "^(.*/)" .. "?.lua;" .. package.path
local names = require "names"

local types = {tensor = "torch.Tensor", operand = "torch.Tensor|number", scalar = "number", int = "integer", dim = "integer", index = "integer",
  float = "number", bool = "boolean", string = "string", dtype = "torch.dtype", device = "torch.device|string", generator = "torch.Generator",
  ints = "integer|integer[]|torch.Size", dims = "integer|integer[]", size = "integer|integer[]|torch.Size", floats = "number[]",
  tensors = "torch.Tensor[]"}

local results = {Tensor = "torch.Tensor", ["Tensor[]"] = "torch.Tensor[]", int = "integer", index = "integer", float = "number", number = "number",
  bool = "boolean", string = "string", dtype = "torch.dtype", device = "torch.device", Size = "torch.Size", Generator = "torch.Generator",
  table = "table", Module = "torch.nn.Module", Scalar = "number", Parameter = "torch.Tensor"}

-- The type of a parameter of any kind is seen from its default.
local function type_of(p)
  if p.kind ~= "any" then return types[p.kind] end
  local d = p.default
  if not d then return "any" end
  if d == "true" or d == "false" then return "boolean" end
  if math.type(tonumber(d)) then return "number" end
  return d:find "^'" and "string" or "any"
end

local keywords = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat return then true until while"):gmatch "%a+" do
  keywords[word] = true
end
local function lua_name(name) return keywords[name] and name .. "_" or name end

local function is_optional(p) return p.optional or p.default ~= nil end

local function result_of(s, otherwise)
  local text = s.result
  if not text then return otherwise end
  if text == "nil" then return nil end
  local list = {}
  for mark in text:gmatch "Tensor(%??) [%w_]+" do list[#list + 1] = "torch.Tensor" .. mark end
  return #list > 0 and table.concat(list, ", ") or results[text] or "any"
end

-- Without self, where it is a method.
local function shown(s, method)
  local list = s.parameters or {}
  return method and table.move(list, 2, #list, 1, {}) or list
end

-- `{dim?: integer, keepdim?: boolean}`: what may be given by name after `from` parameters; nil: nothing.
local function options_type(list, from)
  local fields = {}
  for i = from + 1, #list do
    local p = list[i]
    if not p.variadic and not p.name:find "^block$" then
      fields[#fields + 1] = ("%s%s: %s"):format(keywords[p.name] and '["' .. p.name .. '"]' or p.name, is_optional(p) and "?" or "", type_of(p))
    end
  end
  return #fields > 0 and "{" .. table.concat(fields, ", ") .. "}" or nil
end

local function fun_type(list, count, options, self_type, result)
  local texts = {}
  if self_type then texts[1] = "self: " .. self_type end
  for i = 1, count do
    local p = list[i]
    texts[#texts + 1] = p.variadic and ("...: %s"):format(type_of(p)) or
      ("%s%s: %s"):format(lua_name(p.name), is_optional(p) and "?" or "", type_of(p))
  end
  if options then texts[#texts + 1] = "options: " .. options end
  return ("fun(%s)%s"):format(table.concat(texts, ", "), result and ": " .. result or "")
end

-- How many may be given by position, and how many must be.
local function counts(list)
  local positional, needed = 0, 0
  for i, p in ipairs(list) do
    if p.keyword_only then break end
    positional = i
    if not is_optional(p) then needed = i end
    if p.variadic then break end
  end
  return positional, needed
end

local lines = {}
local function put(format, ...) lines[#lines + 1] = select("#", ...) > 0 and format:format(...) or format end

-- Other forms of a call: with a table of keywords in last place; other signatures.
local function overloads(entry, self_type, otherwise)
  for i, s in ipairs(entry.signatures) do
    local list = shown(s, self_type)
    local positional, needed = counts(list)
    local result = result_of(s, otherwise)
    if i > 1 then put("---@overload %s", fun_type(list, positional, nil, self_type, result)) end
    local options = options_type(list, needed)
    local variadic = list[positional] and list[positional].variadic
    if options and not variadic then put("---@overload %s", fun_type(list, needed, options, self_type, result)) end
  end
end

local function put_text(s)
  put("---%s", s.doc)
  if s.details then put("---\n---%s", s.details) end
end

local function put_function(entry, target, self_type)
  local s = entry.signatures[1]
  local list = shown(s, self_type)
  local positional = s.parameters and counts(list) or 0
  local texts, variadic = {}, not s.parameters or positional < #list
  for _, each in ipairs(entry.signatures) do put_text(each) end
  put("---`%s`", s.text)
  for i = 1, positional do
    local p = list[i]
    if p.variadic then
      local options = options_type(list, i)
      put("---@param ... %s%s", type_of(p), options and "|" .. options or "")
      variadic = true
    else
      texts[#texts + 1] = lua_name(p.name == "self" and "input" or p.name)
      put("---@param %s%s %s", texts[#texts], is_optional(p) and "?" or "", type_of(p))
    end
  end
  local result = s.parameters and result_of(s, not s.result and "any" or nil) or "any"
  if result then put("---@return %s", result) end
  if s.parameters then overloads(entry, self_type, "any") end
  if variadic then texts[#texts + 1] = "..." end
  put("function %s(%s) end\n", target, table.concat(texts, ", "))
end

local function base_of(entry)
  if entry.space == "torch.nn" and entry.name ~= "Module" and entry.name ~= "Parameter" then return ": torch.nn.Module" end
  return entry.space == "torch.optim" and entry.name ~= "Optimizer" and ": torch.optim.Optimizer" or ""
end

local function put_class(entry)
  local s = entry.signatures[1]
  local object = entry.name == "Parameter" and "torch.Tensor" or entry.path
  if object == entry.path and entry.path ~= "torch.nn.Module" and entry.path ~= "torch.optim.Optimizer" and entry.path ~= "torch.Tensor" and
      entry.path ~= "torch.Size" and entry.path ~= "torch.device" and entry.path ~= "torch.Generator" then
    put("---@class %s%s", entry.path, base_of(entry))
  end
  put_text(s)
  put("---@class %s.class", entry.path)
  local list = s.parameters or {}
  local positional = counts(list)
  if s.parameters then
    put("---@overload %s", fun_type(list, positional, nil, nil, object))
    overloads(entry, nil, object)
  else
    put("---@overload fun(...: any): %s", object)
  end
  put("---@field extend fun(self: any, name: string): any")
  put("%s = {}\n", entry.path)
end

-- --- the file ----------------------------------------------------------------------------------------------------

put "---@meta torch"
put "-- torch.lua: Tocha's names for lua-language-server, made by `tocha docs/make/annotations.lua`; do not edit. In .luarc.json:"
put "--   {\"workspace.library\": [\"PREFIX/share/tocha/meta\"], \"diagnostics.globals\": [\"torch\"]}\n"
put "---@class torch"
put "torch = {}\n"
put "---@class torch.dtype\n---@field itemsize integer\n---@field is_floating_point boolean\n---@field is_complex boolean\n---@field is_signed boolean\n"
put "---@class torch.device\n---@field type string\n---@field index integer?\n"
put "---@class torch.Size\n---@field [integer] integer\n---@field numel fun(self: torch.Size): integer\n"
put "---@class torch.Generator\nlocal Generator = {}\n"
put "---@class torch.nn.Module\n---@overload fun(...: any): any\n---@field [string] any\n---@field [integer] torch.nn.Module"
put "---@field training boolean\nlocal Module = {}\n"
put "---@class torch.optim.Optimizer\n---@field param_groups table[]\n---@field state table\nlocal Optimizer = {}\n"
put "---@class torch.Tensor"
for _, operator in ipairs {"add", "sub", "mul", "div", "idiv", "mod", "pow"} do
  put("---@operator %s(torch.Tensor|number): torch.Tensor", operator)
end
for _, operator in ipairs {"band", "bor", "bxor", "shl", "shr"} do put("---@operator %s(torch.Tensor|integer|boolean): torch.Tensor", operator) end
put "---@operator unm: torch.Tensor\n---@operator bnot: torch.Tensor\n---@operator len: integer\n---@operator concat(any): string"
put "---@field [integer] torch.Tensor\n---@field [table] torch.Tensor\n---@field [string] torch.Tensor"
local attribute_types = {shape = "torch.Size", dtype = "torch.dtype", device = "torch.device", ndim = "integer", itemsize = "integer", nbytes = "integer",
  requires_grad = "boolean", is_leaf = "boolean", is_cuda = "boolean", is_meta = "boolean", is_mps = "boolean", is_sparse = "boolean",
  is_quantized = "boolean", retains_grad = "boolean", grad = "torch.Tensor?", grad_fn = "any", layout = "any"}
local spaces, entries = names.by_space()
for _, entry in ipairs(entries["torch.Tensor"]) do
  if entry.kind == "attribute" then
    put("---@field %s %s %s", entry.name, attribute_types[entry.name] or "torch.Tensor", entry.signatures[1].doc)
  end
end
put "local Tensor = {}\n"

local constant_types = {dtype = "torch.dtype"}
local objects = {["torch.Tensor"] = "Tensor", ["torch.nn.Module"] = "Module", ["torch.optim.Optimizer"] = "Optimizer", ["torch.Generator"] = "Generator"}
local declared = {torch = true}

-- A namespace, after those that it is in.
local function declare(space)
  if declared[space] then return end
  declared[space] = true
  declare(space:match "^(.*)%.")
  put("---@class %s\n%s = {}\n", space, space)
end

for _, space in ipairs(spaces) do
  local object = objects[space]
  if keywords[space:match "[^.]+$"] then goto next_space end   -- torch.autograd.function cannot be written in Lua
  if not object then declare(space) end
  for _, entry in ipairs(entries[space]) do
    if #entry.signatures == 0 or entry.kind == "namespace" or entry.kind == "attribute" then goto continue end
    local key = keywords[entry.name]
    if object then
      if not key then put_function(entry, object .. ":" .. entry.name, space) end
    elseif entry.kind == "class" then
      put_class(entry)
    elseif entry.kind == "function" then
      if not key then put_function(entry, entry.path) end
    elseif not key then
      local kind = torch._python_type(entry.value)
      put("---%s\n---@type %s\n%s = nil\n", entry.signatures[1].doc, constant_types[kind] or tostring(kind):find "dtype" and "torch.dtype" or "any", entry.path)
    end
    ::continue::
  end
  ::next_space::
end
put "---@type torch.plot\ntorch.pyplot = nil\n"
put "return torch"
io.write(table.concat(lines, "\n"), "\n")
