-- members.lua: turns the fields check, parameters and buffers of a module of the list (the notation:
-- nn/modules.lua) into C: the functions that create the members and draw their values.
local expression = require "member_expressions"
local default_c = require "defaults".c
local members = {}

local as_name = {   -- an option in an expression, by kind
  int = {"int", "options[%d].value.integer"}, dim = {"int", "options[%d].value.integer"}, index = {"int", "options[%d].value.integer"},
  float = {"float", "options[%d].value.real"}, scalar = {"float", "tocha_scalar_real(options[%d].value.scalar)"},
  bool = {"bool", "options[%d].value.flag"},
  ints = {"list", "&options[%d]"}, dims = {"list", "&options[%d]"}, size = {"list", "&options[%d]"},
}

local function scope_of(m)
  local scope = {where = m.name, names = {}, members = {}, tensors = {}}
  for i, p in ipairs(m.parameters) do
    local kind = as_name[p.kind]
    if kind then scope.names[p.name] = {kind = kind[1], c = kind[2]:format(i - 1)} end
    scope.tensors[p.name] = p.kind == "tensor"
  end
  return scope
end

-- the C names of error codes: "AssertionError" -> "ASSERTION"
local errors = {ValueError = "VALUE", AssertionError = "ASSERTION", TypeError = "TYPE", RuntimeError = "RUNTIME"}

-- Reads "CONDITION: MESSAGE" or "CONDITION: AssertionError: MESSAGE".
local function read_check(line, scope)
  local condition, message = line:match "^(.-):%s+(.+)$"
  if not condition then error(("%s: cannot read the check '%s'"):format(scope.where, line), 0) end
  local kind, rest = message:match "^(%a+Error):%s+(.+)$"
  if kind and not errors[kind] then error(("%s: unknown kind of error '%s'"):format(scope.where, kind), 0) end
  return {condition = expression.read(condition, scope, "boolean").c, error = errors[kind or "ValueError"], message = rest or message}
end

-- Reads the sizes between the parentheses. Returns them as C expressions, and the option whose sizes follow
-- (*kernel_size).
local function read_sizes(text, scope)
  local sizes, more = {}, nil
  for _, part in ipairs(expression.split(text)) do
    local name = part:match "^%*([%w_]+)$"
    if more then error(("%s: *sizes come last in (%s)"):format(scope.where, text), 0) end
    if name then
      local list = scope.names[name]
      if not list or list.kind ~= "list" then error(("%s: *%s is no list of sizes"):format(scope.where, name), 0) end
      more = list.c
    else
      local e = expression.read(part, scope, "number")
      if e.kind ~= "int" then error(("%s: the size %s is no whole number"):format(scope.where, part), 0) end
      sizes[#sizes + 1] = e.c
    end
  end
  return sizes, more
end

local function coerce(e, p, scope)
  if p.kind == "string" then
    if e.kind ~= "string" then error(("%s: 'text' expected for %s"):format(scope.where, p.name), 0) end
    return e.c
  elseif p.kind == "float" and (e.kind == "int" or e.kind == "float") then
    return expression.real(e)
  elseif p.kind == "scalar" and (e.kind == "int" or e.kind == "float") then
    return ("tocha_%s(%s)"):format(e.kind, e.c)
  end
  error(("%s: cannot pass %s to an initializer"):format(scope.where, p.name), 0)
end

-- Reads an initializer such as "kaiming_uniform_(a=sqrt(5))" as a call for the tensor `name`.
local function read_initializer(text, name, scope, initializers)
  local function fail(message) error(("%s: in '%s': %s"):format(scope.where, text, message), 0) end
  local called, inner = text:match "^([%w_]+)(%b())$"
  local initializer = initializers[called] or fail "no initializer of nn/initializers.lua"
  local given, position = {}, 1
  for _, part in ipairs(expression.split(inner:sub(2, -2))) do
    local key, value = part:match "^([%a_][%w_]*)%s*=%s*([^=].*)$"
    if not key then
      position = position + 1
      key, value = (initializer.parameters[position] or fail "too many arguments").name, part
    end
    if given[key] then fail(key .. " is given twice") end
    given[key] = value
  end
  local args = {"cx", name}
  for i = 2, #initializer.parameters do
    local p = initializer.parameters[i]
    local value = given[p.name]
    given[p.name] = nil
    if not value and p.default == nil and not p.optional then fail(p.name .. " is missing") end
    args[#args + 1] = value and coerce(expression.read(value, scope), p, scope) or default_c(p)
  end
  if next(given) then fail("unknown argument " .. next(given)) end
  return ("tocha_init_%s(%s)"):format(called, table.concat(args, ", "))
end

-- Reads `NAME = EXPRESSION, ...` after `where` as C declarations, and adds the names to the scope.
local function read_locals(text, scope)
  local out = {}
  for _, part in ipairs(expression.split(text)) do
    local name, value = part:match "^([%a_][%w_]*)%s*=%s*(.+)$"
    if not name then error(("%s: cannot read '%s' after where"):format(scope.where, part), 0) end
    out[#out + 1] = ("const double %s = %s;"):format(name, expression.real(expression.read(value, scope, "number")))
    scope.names[name] = {kind = "float", c = name}
  end
  return out
end

-- Reads "[dtype] NAME (SIZES) [if CONDITION][: INITIALIZER(...) [where NAME = EXPRESSION, ...]]", or "NAME", an
-- argument.
local function read_member(line, scope, initializers)
  local head, tail = line:match "^(.-):%s+(.+)$"
  local names, sizes, rest = (head or line):match "^([%w_ ]-)%s*(%b())%s*(.-)$"
  if not names then
    if not line:match "^[%w_]+$" then error(("%s: cannot read '%s'"):format(scope.where, line), 0) end
    if not scope.tensors[line] then error(("%s: there is no Tensor argument '%s'"):format(scope.where, line), 0) end
    return {name = line, given = true}
  end
  local dtype, name = names:match "^(%w+) ([%w_]+)$"
  local member = {name = name or names, dtype = dtype}
  member.sizes, member.more = read_sizes(sizes:sub(2, -2), scope)
  local condition = rest:match "^if%s+(.+)$"
  if rest ~= "" and not condition then error(("%s: cannot read '%s'"):format(scope.where, rest), 0) end
  member.condition = condition and expression.read(condition, scope, "boolean").c
  scope.members[member.name] = true
  if tail then
    local call, where = tail:match "^(.-)%s+where%s+(.+)$"
    local names_before = scope.names
    scope.names = setmetatable({}, {__index = names_before})
    member.locals = where and read_locals(where, scope) or {}
    member.call = read_initializer(call or tail, member.name, scope, initializers)
    scope.names = names_before
  end
  return member
end

--- Reads m.check, m.parameter_lines and m.buffer_lines into m.checks and m.members. initializers: by name.
function members.read(m, initializers)
  local scope = scope_of(m)
  m.checks, m.members = {}, {}
  for _, line in ipairs(m.check or {}) do m.checks[#m.checks + 1] = read_check(line, scope) end
  for _, kind in ipairs {"parameter", "buffer"} do
    for _, line in ipairs(m[kind .. "_lines"] or {}) do
      local member = read_member(line, scope, initializers)
      member.kind = kind
      if kind == "parameter" and (member.given or member.dtype) then
        error(("%s: the parameter '%s' needs sizes and no dtype"):format(m.name, line), 0)
      end
      if not member.given and not member.call and not m.reset then error(("%s: nothing fills '%s'"):format(m.name, line), 0) end
      m.members[#m.members + 1] = member
    end
  end
end

local function making(member, w)
  local name = w.quote(member.name)
  if member.given then return ("tocha_module_adopt_buffer(cx, module, %s)"):format(name) end
  local sizes = #member.sizes == 0 and "0, NULL" or ("%d, (const int64_t[]){%s}"):format(#member.sizes, table.concat(member.sizes, ", "))
  local dtype = member.kind == "buffer" and (member.dtype and "TOCHA_" .. member.dtype:upper() or "TOCHA_NO_DTYPE") .. ", " or ""
  return ("tocha_module_add_%s(cx, module, %s, %s, %s%s, %s)"):format(member.kind, name, member.condition or "true", dtype, sizes,
    member.more or "NULL")
end

-- Returns the declaration of `options` if C code uses it.
local function options(code) return code:find("options[", 1, true) and "  const tocha_arg *options = module->options;\n" or "" end

-- Returns C that draws the values of the members, followed by the class's own function.
local function reset_source(m, id, w)
  local variables, found, body = {}, {}, {}
  for _, member in ipairs(m.members) do
    if member.call then
      variables[#variables + 1] = ("*%s = NULL"):format(member.name)
      found[#found + 1] = ("      !tocha_module_find_tensor(cx, module, %s, &%s)"):format(w.quote(member.name), member.name)
      local lines = {table.unpack(member.locals)}
      lines[#lines + 1] = member.call .. ";"
      if member.condition or #lines > 1 then
        body[#body + 1] = ("  %s{\n    %s\n  }\n"):format(member.condition and ("if (%s) "):format(member.name) or "", table.concat(lines, "\n    "))
      else
        body[#body + 1] = ("  %s\n"):format(lines[1])
      end
    end
  end
  return ([[
static bool reset_%s(tocha_context *cx, tocha_module *module) {
%s  tocha_tensor %s;
  if (%s)
    return false;
%s  return !tocha_failed(cx)%s;
}
]]):format(id, options(table.concat(body)), table.concat(variables, ", "), table.concat(found, " ||\n"):gsub("^%s+", ""), table.concat(body),
    m.reset and (" && tocha_module_reset_%s(cx, module)"):format(m.reset) or "")
end

--- Adds the source of the C functions init and reset of a class to `out`. Returns their names, or "NULL" for each
-- that does not exist.
function members.source(m, id, w, out)
  local draws = false
  for _, member in ipairs(m.members) do draws = draws or member.call end
  local reset = m.reset and "tocha_module_reset_" .. m.reset or "NULL"
  if draws then
    out[#out + 1] = reset_source(m, id, w)
    reset = "reset_" .. id
  end
  local steps = {}
  for _, check in ipairs(m.checks) do
    steps[#steps + 1] = ("tocha_module_check(cx, module, %s, TOCHA_%s_ERROR, %s)"):format(check.condition, check.error, w.quote(check.message))
  end
  for _, member in ipairs(m.members) do steps[#steps + 1] = making(member, w) end
  if m.init then steps[#steps + 1] = ("tocha_module_init_%s(cx, module)"):format(m.init) end
  if reset ~= "NULL" then steps[#steps + 1] = reset .. "(cx, module)" end
  if #steps == 0 then return "NULL", reset end
  if #steps == 1 and m.init then return "tocha_module_init_" .. m.init, reset end
  local body = table.concat(steps, " &&\n         ")
  out[#out + 1] = ("static bool init_%s(tocha_context *cx, tocha_module *module) {\n%s  return %s;\n}\n"):format(id, options(body), body)
  return "init_" .. id, reset
end

return members
