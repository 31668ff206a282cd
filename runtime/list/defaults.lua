-- defaults.lua: the default of a parameter as C.
local defaults = {}

local list_kind = {ints = true, floats = true, dims = true, size = true}

local function number(text) return tonumber(text) or error("not a number: " .. text) end

local function scalar_c(text)
  if text == "true" or text == "false" then return "tocha_boolean(" .. text .. ")" end
  number(text)
  return (text:find "[.e]" and "tocha_float(%s)" or "tocha_int(%s)"):format(text)
end

local function scalar_static(text)   -- a constant initializer
  if text == "true" or text == "false" then
    return ("{TOCHA_SCALAR_BOOL, {.integer = %d}}"):format(text == "true" and 1 or 0)
  elseif text:find "[.e]" then
    return ("{TOCHA_SCALAR_FLOAT, {.real = %s}}"):format(text)
  end
  return ("{TOCHA_SCALAR_INT, {.integer = %s}}"):format(text)
end

local function int_list(text)
  local items = {}
  for n in text:gmatch "%-?%d+" do items[#items + 1] = n end
  return items
end

--- Returns the default of a parameter as a C expression for a full call.
function defaults.c(p)
  local d = p.default
  if p.kind == "operand" then return ("tocha_number(%s)"):format(scalar_c(d)) end
  if p.kind == "tensors" then return "0, NULL" end
  if list_kind[p.kind] then
    if not d then return "0, NULL" end
    local items = int_list(d)
    return #items == 0 and "0, NULL" or ("%d, (const int64_t[]){%s}"):format(#items, table.concat(items, ", "))
  end
  if not d then
    return ({dtype = "TOCHA_NO_DTYPE", device = "tocha_no_device()"})[p.kind] or "NULL"
  end
  if p.kind == "scalar" then
    return p.optional and ("&(tocha_scalar){0}" and ("&(const tocha_scalar)%s"):format(scalar_static(d))) or scalar_c(d)
  end
  if p.kind == "string" then return '"' .. d:gsub("[\"']", "") .. '"' end
  if p.kind == "dtype" then return "TOCHA_" .. d:upper() end
  if p.optional then
    local t = ({int = "int64_t", dim = "int64_t", float = "double", bool = "bool"})[p.kind]
    return ("&(const %s){%s}"):format(t, d)
  end
  return d
end

--- Returns the default as a tocha_arg initializer of the table.
function defaults.arg(p)
  local d = p.default
  if p.kind == "operand" or p.kind == "scalar" then return ("{.value.scalar = %s, .given = true}"):format(scalar_static(d)) end
  if p.kind == "string" then return ('{.value.string = "%s", .given = true}'):format((d:gsub("[\"']", ""))) end
  if p.kind == "float" then return ("{.value.real = %s, .given = true}"):format(d) end
  if p.kind == "bool" then return ("{.value.flag = %s, .given = true}"):format(d) end
  if p.kind == "dtype" then return ("{.value.dtype = TOCHA_%s, .given = true}"):format(d:upper()) end
  if list_kind[p.kind] then
    local items = int_list(d)
    if #items == 0 then return "{.given = true}" end
    return ("{.value.ints = (const int64_t[]){%s}, .count = %d, .given = true}"):format(table.concat(items, ", "), #items)
  end
  return ("{.value.integer = %s, .given = true}"):format(d)
end

return defaults
