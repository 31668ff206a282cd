-- write_calls.lua OUT FOLDER...: writes, for null_test.c, a call of every public function of the headers in the folders, with
-- arguments that a host program may pass by mistake.
local out = arg[1]

-- Returns the functions of a header: {name, result, parameters}.
local function functions(text)
  local found = {}
  text = text:gsub("/%*.-%*/", " "):gsub("#[^\n]*", " "):gsub("%s+", " ")
  for result, name, parameters in text:gmatch "TOCHA_API ([%w_ ]-[ %*]+)([%w_]+)%((.-)%)[%w_%(%), ]*;" do
    found[#found + 1] = {name = name, result = result, parameters = parameters}
  end
  return found
end

-- Returns the parameters of a list. Those of a parameter that is a function stay together.
local function split(parameters)
  local list, depth, start = {}, 0, 1
  for i = 1, #parameters + 1 do
    local c = i > #parameters and "," or parameters:sub(i, i)
    depth = depth + (c == "(" and 1 or c == ")" and -1 or 0)
    if c == "," and depth == 0 then
      list[#list + 1] = parameters:sub(start, i - 1):match "^%s*(.-)%s*$"
      start = i + 1
    end
  end
  return list
end

local JUNK = {   -- by type: a value that no correct program gives
  bool = "true", double = "NAN", float = "NAN", size_t = "0", tocha_dtype = "(tocha_dtype)99", tocha_device = "nowhere",
  tocha_scalar = "tocha_int(-1)", tocha_operand = "tocha_operand_of(NULL)",
}
local USUAL = {bool = "false", double = "0.5", float = "0.5F", size_t = "0", tocha_dtype = "TOCHA_FLOAT32", tocha_device = "tocha_cpu()",
  tocha_scalar = "tocha_int(1)", tocha_operand = "tocha_operand_of(objects.tensor)"}

-- Returns the argument for a parameter, and the name of the object in it. way: "none": NULL for every pointer, the context's too;
-- "null": NULL for objects; "junk" or "usual": existing objects with such values beside them.
local function value(parameter, way)
  local is_pointer = parameter:find "[%*%[]"
  local type = parameter:gsub("const ", ""):match "^([%w_]+)"
  if is_pointer and way == "none" then return "NULL" end
  if is_pointer then
    if type == "tocha_context" and not parameter:find "%(" then return "cx" end
    local object = parameter:match "^c?o?n?s?t? ?tocha_([%w_]+) %*[%w_]*$"
    if object and way ~= "null" then return ("(tocha_%s *)objects.%s"):format(object, object), object end
    if way == "usual" and parameter:find "^const int64_t %*" then return "ones" end
    if way == "usual" and parameter:find "^const char %*const %*" then return "names" end
    if way == "usual" and parameter:find "^const char %*" then return '"/nowhere/name"' end
    if parameter:find "%[%d*%]$" and type == "char" then return "room" end   -- room for an answer
    return "NULL"
  end
  local known = (way == "usual" and USUAL or JUNK)[type]
  if known then return known end
  if type:find "^u?int" or type == "int" then return way == "usual" and "1" or "-1" end
  return ("*(%s *)zeros"):format(type)
end

local headers = {}
for i = 2, #arg do
  local pipe = io.popen("find '" .. arg[i] .. "' -name '*.h' | sort")
  for name in pipe:lines() do headers[#headers + 1] = name end
  pipe:close()
end

local seen, calls, objects = {}, {}, {}
for _, header in ipairs(headers) do
  local file = assert(io.open(header))
  for _, f in ipairs(functions(file:read "a")) do
    local empty = f.parameters == "void" or f.parameters == ""
    if not seen[f.name] and f.parameters ~= "..." then
      seen[f.name] = true
      for _, way in ipairs {"none", "null", "junk", "usual"} do
        local values = {}
        for k, parameter in ipairs(empty and {} or split(f.parameters)) do
          local object
          if parameter ~= "..." then values[k], object = value(parameter, way) end
          if object then objects[object] = true end
        end
        calls[#calls + 1] = {name = f.name, way = way, text = ("%s(%s)"):format(f.name, table.concat(values, ", "))}
      end
    end
  end
  file:close()
end

local text = {"/* Written by write_calls.lua. */\n"}
local function put(...) text[#text + 1] = string.format(...) end
local names = {}
for name in pairs(objects) do names[#names + 1] = name end
table.sort(names)
put "static struct objects {\n"
for _, name in ipairs(names) do put("  void *%s;\n", name) end
put "} objects;\n\n"
for i, call in ipairs(calls) do put("static void call_%d(void) { (void)%s; }\n", i, call.text) end
put "\nstatic const struct call {\n  const char *name, *way;\n  void (*run)(void);\n} calls[] = {\n"
for i, call in ipairs(calls) do put('    {"%s", "%s", call_%d},\n', call.name, call.way, i) end
put "};\n"
local file = assert(io.open(out, "w"))
file:write(table.concat(text))
file:close()
