-- tocha.lua: all of libtocha for LuaJIT. The declarations are made at start from tocha_api.json, so this file knows no function of the
-- library but those that it calls itself.
local ffi = require "ffi"
local json = require "json"

-- Returns the declaration of a name: "char [32]" and "void (*)(void *user)" have it within the type.
local function declare(type, name)
  if type:find "%(%*%)" then return (type:gsub("%(%*%)", "(*" .. name .. ")", 1)) end
  local element, lengths = type:match "^(.-) ?(%[[][%d]+)$"
  if element then return element .. " " .. name .. lengths end
  return type .. " " .. name
end

local function declare_fields(fields)
  local lines = {}
  for _, field in ipairs(fields) do
    local type = field.fields and ("%s { %s }"):format(field.type, declare_fields(field.fields)) or field.type
    lines[#lines + 1] = declare(type, field.name) .. ";"
  end
  return table.concat(lines, " ")
end

-- Returns the interface in C.
local function declarations(api)
  local lines = {"typedef struct FILE FILE;"}
  local function add(...) lines[#lines + 1] = string.format(...) end
  for _, list in ipairs {api.opaque, api.structs} do
    for _, struct in ipairs(list) do add("typedef struct %s %s;", struct.name, struct.name) end
  end
  for _, enum in ipairs(api.enums) do
    local values = {}
    for i, value in ipairs(enum.values) do values[i] = ("%s = %d"):format(value.name, value.value) end
    add("%s { %s } %s;", enum.name and "typedef enum" or "enum", table.concat(values, ", "), enum.name or "")
  end
  for _, struct in ipairs(api.structs) do add("struct %s { %s };", struct.name, declare_fields(struct.fields)) end
  for _, f in ipairs(api.functions) do
    local parameters = {}
    for i, p in ipairs(f.parameters) do parameters[i] = p.type end
    if not f.inline then add("%s %s(%s);", f.result, f.name, table.concat(parameters, ", ")) end
  end
  return table.concat(lines, "\n")
end

-- Returns a table in which tocha.add is tocha_add of a context of its own. A failure is an error of Lua; tensors belong to the
-- collector; texts are strings of Lua. `C` in it has the functions as they are.
return function(library, path)
  local file = assert(io.open(path))
  local api = json(file:read "*a")
  file:close()
  ffi.cdef(declarations(api))
  local C = ffi.load(library)
  local cx = ffi.gc(C.tocha_open(nil), C.tocha_close)
  local message = ffi.new("char[1024]")
  local functions = {}
  for _, f in ipairs(api.functions) do if not f.inline then functions[f.name] = f end end

  -- Returns a result as the caller keeps it.
  local function keep(f, result)
    if f.result == "tocha_tensor *" and f.owner ~= "caller" then
      return result ~= nil and ffi.gc(C.tocha_retain(result), C.tocha_release) or nil
    end
    if f.result == "char *" and f.free == "tocha_free" then
      local text = ffi.string(result)
      C.tocha_free(result)
      return text
    end
    return result
  end

  local function wrap(f)
    local call = C[f.name]
    local of_context = f.parameters[1] and f.parameters[1].type == "tocha_context *"
    return function(...)
      local scope, result = C.tocha_scope_begin(cx)
      if of_context then result = call(cx, ...) else result = call(...) end
      local failed = C.tocha_failed(cx)
      if failed then
        result = ffi.string(C.tocha_error_text(cx, message, 1024))
        C.tocha_clear_error(cx)
      else
        result = keep(f, result)
      end
      C.tocha_scope_end(cx, scope, nil)
      if failed then error(result, 2) end
      return result
    end
  end

  local tocha = setmetatable({C = C, api = api, context = cx}, {__index = function(self, name)
    local f = functions["tocha_" .. name]
    self[name] = f and wrap(f)
    return rawget(self, name)
  end})
  ffi.metatype("tocha_tensor", {
    __index = function(_, name) return tocha[name] end,
    __add = function(a, b) return tocha.add(a, b) end,
    __sub = function(a, b) return tocha.sub(a, b) end,
    __mul = function(a, b) return tocha.mul(a, b) end,
    __tostring = function(t) return tocha.to_string(t) end,
  })
  return tocha
end
