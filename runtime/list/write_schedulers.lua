-- write_schedulers.lua: reads optim/schedulers.lua (plain data; its head explains the notation) and writes the C code that follows
-- from it below the output folder:
--
--   include/tocha/schedulers.h   the option structs and constructors
--   optim/schedules.h            the numbers of the fields, and the functions that runtime/optim must define
--   optim/schedulers.c           the classes, the constructors and the formulas
--   optim/schedules.lua          the arguments, checks and formulas for Lua, whose rates may be tensors
--
-- Called by generate.lua.
local write_schedulers = {}
local expressions, signature, snake = require "expressions", require "signature", require "write_modules".snake
local option_struct = require "option_struct"

local known = {}
for key in ("check fields choices bare rate closed begin rates step metric doc"):gmatch "%S+" do known[key] = true end
local field_kinds = {int = "INT", float = "FLOAT", bool = "BOOL", Scalar = "SCALAR", string = "CHOICE", ["int[]"] = "INTS", ["float[]"] = "FLOATS",
  counts = "COUNTS", none = "NONE", functions = "FUNCTIONS", phases = "PHASES", schedulers = "SCHEDULERS"}

local Entry = {}
Entry.__index = Entry
function Entry:fail(message, ...) error(("%s: "):format(self.name) .. message:format(...), 0) end

-- --- reading -----------------------------------------------------------------------------------------------

-- Sets m.fields, in order, and m.by_field.
local function read_fields(m, text)
  m.fields, m.by_field = {}, {}
  for part in text:gmatch "[^,]+" do
    local kind, optional, name = part:match "^%s*([%a%[%]]+)(%??)%s+([%w_]+)%s*$"
    if not field_kinds[kind] then m:fail("cannot read the field '%s'", part) end
    local field = {name = name, kind = field_kinds[kind], optional = optional ~= "", index = #m.fields}
    m.fields[#m.fields + 1], m.by_field[name] = field, field
  end
end

-- Returns the fields of a class that keeps its arguments as they are.
local function fields_of_arguments(m)
  local out = {}
  for _, p in ipairs(m.parameters) do
    if p.name ~= "last_epoch" then out[#out + 1] = p.kind .. " " .. p.name end
  end
  return table.concat(out, ", ")
end

-- Fails if no formula reads a field, which would be silently ignored.
local function check_reads(m)
  local read = {}
  for _, block in ipairs{m.rate or {}, m.closed or {}} do
    expressions.each_read(block, function(name) read[name] = true end)
  end
  for _, field in ipairs(m.fields) do
    if not read[field.name] then m:fail("nothing reads '%s'", field.name) end
  end
end

--- Reads one entry.
function write_schedulers.entry(name, entry)
  local m = setmetatable({name = name, id = snake(name)}, Entry)
  for key, value in pairs(entry) do
    if key ~= 1 and not known[key] then m:fail("unknown field '%s'", key) end
    m[key] = value
  end
  if not m.doc then m:fail "no doc" end
  if not (m.rate or m.rates or m.step) then m:fail "needs rate, rates or step" end
  m.signature = entry[1]
  m.parameters = m.signature and signature.parameters(m.signature:match "^%((.*)%)$", name) or {}
  read_fields(m, m.fields or fields_of_arguments(m))
  for _, kind in ipairs{"rate", "closed"} do
    m[kind] = m[kind] and expressions.read_block(m[kind], name .. ", " .. kind)
  end
  if m.rate and not m.begin then check_reads(m) end
  return m
end

--- Returns the schedulers of the file, in order.
function write_schedulers.load(path)
  local out = {}
  local env = {scheduler = function(name)
    return function(entry) out[#out + 1] = write_schedulers.entry(name, entry) end
  end}
  assert(loadfile(path, "t", env))()
  return out
end

-- --- option structs ----------------------------------------------------------------------------------------
local c_types = {int = "int64_t ", float = "double ", bool = "bool ", string = "const char *", floats = "tocha_floats "}

local function field_c(p)
  if p.kind == "ints" then return ("int %s_count;\n  const int64_t *%s"):format(p.name, p.name) end
  return (c_types[p.kind] or error("no C type of " .. p.kind)) .. p.name
end

-- Returns the parameters of the function with the defaults for parameter p, and the statements that set it.
local function required_c(p)
  if p.kind == "ints" then
    return ("int %s_count, const int64_t *%s"):format(p.name, p.name),
      ("  options.%s_count = %s_count;\n  options.%s = %s;\n"):format(p.name, p.name, p.name, p.name)
  elseif p.kind == "floats" then
    return "double " .. p.name, ("  options.%s = tocha_floats_of(%s);\n"):format(p.name, p.name)
  end
  return field_c(p), ("  options.%s = %s;\n"):format(p.name, p.name)
end

local function declaration(m)
  if not m.signature then return "" end
  return option_struct.declaration{title = m.name, id = m.id, parameters = m.parameters, field = field_c,
    required = function(p) if p.default == nil then return required_c(p) end end,
    constructor = ("/* %s%s\n * %s */\nTOCHA_API tocha_scheduler *tocha_optim_%s(tocha_context *cx, tocha_optimizer *optimizer, const tocha_%s_options *options);")
      :format(m.name, m.signature, m.doc, m.id, m.id)}
end

function write_schedulers.public_header(list)
  local declarations = {}
  for i, m in ipairs(list) do declarations[i] = declaration(m) end
  return option_struct.header("schedulers.h", [[schedulers.h: constructors of learning-rate schedulers and their option structs (generated from runtime/optim/schedulers.lua;
 * do not edit). They give the caller a scheduler (scheduler.h) and set the learning rates of the first epoch, as PyTorch's do. A text is
 * not kept. A list of floats has a number for each group, or one for all.]], {"options.h", "scheduler.h"}, declarations)
end

-- --- what runtime/optim defines ----------------------------------------------------------------------------
local function functions_header(list)
  local out, done = {[[
/* schedules.h: the numbers of schedulers' fields, and the functions that runtime/optim must define (generated from
 * runtime/optim/schedulers.lua). */
#ifndef TOCHA_OPTIM_SCHEDULES_H
#define TOCHA_OPTIM_SCHEDULES_H

#include "optim/scheduler.h"
#include "tocha/schedulers.h"

]]}, {}
  local function add(text, kind, name)
    if name and not done[kind .. name] then out[#out + 1] = text:format(kind, name) end
    done[kind .. (name or "")] = true
  end
  for i, m in ipairs(list) do
    local names = {}
    for k, field in ipairs(m.fields) do names[k] = ("%s_%s"):format(m.id, field.name:gsub("^_", "")):upper() end
    out[#out + 1] = ("enum { %s };\n"):format(table.concat(names, ", "))
    out[#out + 1] = ("enum { TOCHA_CLASS_%s = %d };\n"):format(m.id:upper(), i - 1)
    add("bool tocha_schedule_%s_%s(tocha_context *cx, tocha_scheduler *s, const tocha_" .. m.id .. "_options *o);\n", "begin", m.begin)
    add("bool tocha_schedule_%s_%s(tocha_context *cx, tocha_scheduler *s, double *rates);\n", "rates", m.rates)
    add("bool tocha_schedule_%s_%s(tocha_context *cx, tocha_scheduler *s, const double *epoch);\n", "step", m.step)
    add("bool tocha_schedule_%s_%s(tocha_context *cx, tocha_scheduler *s, double metric);\n", "metric", m.metric)
  end
  out[#out + 1] = "\n#endif\n"
  return table.concat(out)
end

-- --- formulas ----------------------------------------------------------------------------------------------
local functions = {cos = "cos", floor = "floor", minimum = "fmin", modulo = "tocha_schedule_modulo"}
local of_lists = {occurrences = true, passed = true}

-- Returns an expression as C. variable(name) returns the C of a name.
local function formula_c(m, e, variable)
  return expressions.c(e, {
    fail = function(...) m:fail(...) end,
    number = function(text) return text:find "[.e]" and text or text .. ".0" end,
    name = variable,
    power = function(a, b) return ("pow(%s, %s)"):format(a, b) end,
    call = function(name, args)
      local c = of_lists[name] and "tocha_schedule_" .. name or functions[name] or m:fail("no function '%s'", name)
      return ("%s(%s)"):format(c, table.concat(args, ", "))
    end,
  })
end

local function block_c(m, block, indent, variable)
  local out = {}
  for _, s in ipairs(block) do
    if s[1] == "set" then
      out[#out + 1] = ("%s%s = %s;\n"):format(indent, s.name, formula_c(m, s[2], variable))
    else
      for i = 2, #s do
        local condition = s[i][1] and ("if (%s) "):format(formula_c(m, s[i][1], variable)) or ""
        out[#out + 1] = ("%s%s{\n%s"):format(i > 2 and indent .. "} else " or indent, condition, block_c(m, s[i][2], indent .. "  ", variable))
      end
      out[#out + 1] = indent .. "}\n"
    end
  end
  return table.concat(out)
end

local given = {epoch = "const double epoch = (double)s->epoch", initial = "const bool initial = s->is_initial", first = "const bool first = s->steps == 1",
  pi = "const double pi = 3.14159265358979323846"}

-- Returns the function of a formula, "rate" or "closed".
local function formula_function(m, kind)
  local block = m[kind]
  if not block then return "" end
  local variables, seen = {}, {lr = true, base = true}
  expressions.each_read(block, function(name)
    local field = m.by_field[name]
    if name == "base" then m.reads_base = true end
    if seen[name] then return end
    seen[name] = true
    local c = given[name] or not field and m:fail("there is no '%s'", name) or
      (field.kind == "COUNTS" and "const tocha_scheduler_value *%s = &s->values[%d]" or "const double %s = tocha_scalar_real(s->values[%d].number)")
        :format(name, field.index)
    variables[#variables + 1] = "  " .. c .. ";\n"
  end)
  return ("\nstatic double %s_%s(const tocha_scheduler *s, double lr, double base) {\n  (void)s;\n  (void)base;\n%s%s  return lr;\n}\n"):format(kind, m.id,
    table.concat(variables), block_c(m, block, "  ", function(name) return name end))
end

-- --- constructors ------------------------------------------------------------------------------------------
local function check_c(m, check)
  local condition, message = check:match "^(.-):%s*(.*)$"
  return ("  if (!(%s))\n    return tocha_fail(cx, TOCHA_VALUE_ERROR, \"%s\") != NULL;\n"):format(
    formula_c(m, expressions.read(condition, m.name .. ", check"), function(name) return "o->" .. name end), message)
end

-- Returns the function that checks the arguments and keeps them as they are.
local function begin_function(m)
  if m.begin or not m.signature then return "" end
  local body = {}
  for i, check in ipairs(m.check or {}) do body[i] = check_c(m, check) end
  for _, p in ipairs(m.parameters) do
    local field = m.by_field[p.name]
    if field and field.kind == "COUNTS" then
      body[#body + 1] = ("  if (!tocha_schedule_set_counts(cx, s, %d, o->%s_count, o->%s)) return false;\n"):format(field.index, p.name, p.name)
    elseif field then
      body[#body + 1] = ("  s->values[%d].number = tocha_%s(o->%s);\n"):format(field.index, p.kind, p.name)
    end
  end
  return ("\nstatic bool begin_%s(tocha_context *cx, tocha_scheduler *s, const tocha_%s_options *o) {\n%s  return tocha_scheduler_start(cx, s, o->last_epoch);\n}\n")
    :format(m.id, m.id, table.concat(body))
end

local function default_c(p)
  if p.kind == "floats" then return ("{1, {%s}}"):format(p.default) end
  if p.kind == "string" then return '"' .. p.default:gsub("'", "") .. '"' end
  return p.default
end

local function constructor(m)
  if not m.signature then return "" end
  local defaults, last, first = {"sizeof(tocha_" .. m.id .. "_options)"}, "0", "NULL"
  for _, p in ipairs(m.parameters) do
    if p.default ~= nil then
      defaults[#defaults + 1] = (".%s = %s"):format(p.name, default_c(p))
    else
      last = ("offsetof(tocha_%s_options, %s) + sizeof(options->%s)"):format(m.id, p.name, p.name)
      if first == "NULL" then first = '"' .. p.name .. '"' end
    end
  end
  return (([[

static const tocha_SNAKE_options defaults_SNAKE = {DEFAULTS};
void tocha_SNAKE_options_init(tocha_SNAKE_options *options, size_t size) {
  tocha_optim_options_init(options, size, &defaults_SNAKE, sizeof defaults_SNAKE);
}
tocha_scheduler *tocha_optim_SNAKE(tocha_context *cx, tocha_optimizer *optimizer, const tocha_SNAKE_options *options) {
  tocha_SNAKE_options o = defaults_SNAKE;
  if (!tocha_optim_options_read(cx, "NAME", options, &o, sizeof o, LAST, FIRST)) return NULL;
  tocha_scheduler *s = tocha_scheduler_create(cx, &tocha_scheduler_classes[TOCHA_CLASS_UPPER], optimizer);
  return s ? tocha_scheduler_begun(s, BEGIN_SNAKE(cx, s, &o)) : NULL;
}
]]):gsub("BEGIN_SNAKE", m.begin and "tocha_schedule_begin_" .. m.begin or "begin_SNAKE"):gsub("%u%u%u+",
    {SNAKE = m.id, NAME = m.name, LAST = last, FIRST = first, UPPER = m.id:upper(), DEFAULTS = table.concat(defaults, ", ")}))
end

-- --- Lua ---------------------------------------------------------------------------------------------------
local lua_signs = {["&&"] = "and", ["||"] = "or", ["!="] = "~="}

-- Returns an expression as Lua. variable(name) returns the Lua of a name.
local function formula_lua(m, e, variable)
  local text = expressions.c(e, {
    fail = function(...) m:fail(...) end,
    number = function(number) return number end,
    name = variable,
    power = function(a, b) return ("(%s ^ %s)"):format(a, b) end,
    binary = function(sign, a, b) return ("(%s %s %s)"):format(a, lua_signs[sign] or sign, b) end,
    call = function(name, args) return ("%s(%s)"):format(name, table.concat(args, ", ")) end,
  })
  return (text:gsub("!", "not "))
end

local lua_names = {lr = "lr", base = "base", pi = "pi", epoch = "self.last_epoch", initial = "self._is_initial", first = "(self._step_count == 1)"}
local function lua_name(name) return lua_names[name] or "self." .. name end

local function block_lua(m, block, indent)
  local out = {}
  for _, s in ipairs(block) do
    if s[1] == "set" then
      if s.name ~= "lr" then m:fail("a formula sets lr, not '%s'", s.name) end
      out[#out + 1] = ("%slr = %s\n"):format(indent, formula_lua(m, s[2], lua_name))
    else
      for i = 2, #s do
        local condition = s[i][1] and (i > 2 and "elseif %s then" or "if %s then"):format(formula_lua(m, s[i][1], lua_name)) or "else"
        out[#out + 1] = ("%s%s\n%s"):format(indent, condition, block_lua(m, s[i][2], indent .. "  "))
      end
      out[#out + 1] = indent .. "end\n"
    end
  end
  return table.concat(out)
end

-- Returns the arguments in the notation of torch._define: PyTorch does not check their kinds.
local function arguments_lua(m)
  local out = {}
  for i, p in ipairs(m.parameters) do
    out[i] = (p.default ~= nil and "%s=%s" or p.kind == "ints" and "%s" or "Number %s"):format(p.name, p.default)
  end
  return table.concat(out, ", ")
end

local function entry_lua(m)
  local out = {("  %s = {\n    arguments = %q,\n"):format(m.name, arguments_lua(m))}
  for _, kind in ipairs{"rate", "closed"} do
    if m[kind] then out[#out + 1] = ("    %s = function(self, lr, base)\n%s      return lr\n    end,\n"):format(kind, block_lua(m, m[kind], "      ")) end
  end
  if m.check then
    out[#out + 1] = "    refuse = function(self)\n"
    for _, check in ipairs(m.check) do
      local condition, message = check:match "^(.-):%s*(.*)$"
      out[#out + 1] = ("      if not %s then return %q end\n"):format(formula_lua(m, expressions.read(condition, m.name .. ", check"), lua_name), message)
    end
    out[#out + 1] = "      return nil\n    end,\n"
  end
  out[#out + 1] = "  },\n"
  return table.concat(out)
end

--- Returns schedules.lua, schedulers.c or the public header for these entries.
function write_schedulers.lua_source(list)
  local out = {[[
-- schedules.lua: the schedulers with a formula (generated from runtime/optim/schedulers.lua; do not edit): the arguments behind the
-- optimizer; rate(scheduler, lr, base) and closed, which return the rate of a group; refuse(scheduler), which returns what is wrong
-- with the arguments, or nil.
local cos, floor, minimum, pi = math.cos, math.floor, math.min, math.pi
local function modulo(a, b) return a % b end
local function occurrences(counts, x) return counts[x] or 0 end
local function passed(counts, x)
  local sum = 0
  for item, count in pairs(counts) do
    if item <= x then sum = sum + count end
  end
  return sum
end
return {
]]}
  for _, m in ipairs(list) do
    if m.rate then out[#out + 1] = entry_lua(m) end
  end
  out[#out + 1] = "}\n"
  return table.concat(out)
end

-- --- the classes -------------------------------------------------------------------------------------------
local function class_row(m, out)
  local rows, ids = {}, {}
  for _, field in ipairs(m.fields) do
    if field.kind == "CHOICE" then
      local choices = m.choices and m.choices[field.name] or m:fail("no choices for '%s'", field.name)
      ids[field.name] = ("choices_%s_%s"):format(m.id, field.name)
      out[#out + 1] = ("static const char *const %s[] = {\"%s\", NULL};\n"):format(ids[field.name], table.concat(choices, '", "'))
    end
    rows[#rows + 1] = ("  {\"%s\", TOCHA_FIELD_%s, %s, %s},\n"):format(field.name, field.kind, tostring(field.optional), ids[field.name] or "NULL")
  end
  out[#out + 1] = ("static const tocha_schedule_field fields_%s[] = {\n%s};\n"):format(m.id, table.concat(rows))
  local function named(kind) return m[kind] and ("tocha_schedule_%s_%s"):format(kind, m[kind]) or "NULL" end
  return ([[
  {.name = "%s", .fields = fields_%s, .field_count = %d, .keeps_base = %s, .keeps_epoch = %s, .reads_base = %s,
   .rate = %s, .closed = %s, .rates = %s, .step = %s, .metric = %s},
]]):format(m.name, m.id, #m.fields, tostring(not m.bare), tostring(m.bare ~= ""), tostring(m.reads_base or false), m.rate and "rate_" .. m.id or "NULL",
    m.closed and "closed_" .. m.id or "NULL", named "rates", named "step", named "metric")
end

function write_schedulers.source(list)
  local out, rows = {[[
/* schedulers.c: the schedulers as data, their constructors and their formulas (generated from runtime/optim/schedulers.lua). */
#include <math.h>
#include <stddef.h>

#include "optim/options.h"
#include "optim/schedules.h"
]]}, {}
  for _, m in ipairs(list) do
    if #m.fields > 16 then m:fail "more fields than TOCHA_MAX_FIELDS" end
    for _, text in ipairs{formula_function(m, "rate"), formula_function(m, "closed"), begin_function(m)} do out[#out + 1] = text end
  end
  out[#out + 1] = "\n"
  for i, m in ipairs(list) do rows[i] = class_row(m, out) end
  out[#out + 1] = ("\nconst tocha_scheduler_class tocha_scheduler_classes[] = {\n%s};\nconst int tocha_scheduler_class_count = %d;\n"):format(
    table.concat(rows), #rows)
  for _, m in ipairs(list) do out[#out + 1] = constructor(m) end
  return table.concat(out)
end

--- Writes the files above with write(path, text).
function write_schedulers.generate(runtime, output, write)
  local list = write_schedulers.load(runtime .. "/optim/schedulers.lua")
  write(output .. "/optim/schedulers.c", write_schedulers.source(list))
  write(output .. "/optim/schedules.lua", write_schedulers.lua_source(list))
  write(output .. "/optim/schedules.h", functions_header(list))
  write(output .. "/include/tocha/schedulers.h", write_schedulers.public_header(list))
end

return write_schedulers
