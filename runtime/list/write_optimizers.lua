-- write_optimizers.lua: writes the C code that follows from optim/optimizers.lua below OUTPUT/optim:
--
--   ../include/tocha/optimizers.h   the option structs and constructors
--   optimizers.c   the classes: options, checks, states, the numbers of a step
--   numbers.h      the numbers of a step, for C and for C++ (the GPU's kernel): write_numbers.lua
--   functions.h    the functions named by `run`, which runtime/optim must define
--   rules.h        the step of one element, for C and for C++ (the GPU's kernel): write_rules.lua
--   loops.h        the loops over the elements, for the CPU: write_rules.lua
--
-- Called by generate.lua. No other files include these, so a new entry recompiles only optim.
local write_optimizers = {}
local expressions = require "expressions"
local optimizers = require "read_optimizers"
local option_struct = require "option_struct"
local write_numbers = require "write_numbers"
local write_rules = require "write_rules"
local host_c = optimizers.host_c

-- --- options ---------------------------------------------------------------------------------------------
local function scalar_c(m, text)
  if text == "true" or text == "false" then return ("{TOCHA_SCALAR_BOOL, {.integer = %d}}"):format(text == "true" and 1 or 0) end
  if not tonumber(text) then m:fail("not a number: %s", text) end
  return (text:find "[.e]" and "{TOCHA_SCALAR_FLOAT, {.real = %s}}" or "{TOCHA_SCALAR_INT, {.integer = %s}}"):format(text)
end

local function option_row(m, o)
  local first, second = "{0}", "{0}"
  if o.kind == "PAIR" then
    local a, b = o.default:match "^%(%s*(%S+)%s*;%s*(%S+)%s*%)$"
    first, second = scalar_c(m, a), scalar_c(m, b)
  elseif o.kind ~= "MAYBE" then
    first = scalar_c(m, o.default)
  end
  return ("    {\"%s\", TOCHA_OPTION_%s, %s, {%s, %s, %s, {NULL, NULL}}},\n"):format(o.name, o.kind, tostring(o.keyword_only),
    tostring(o.kind ~= "MAYBE"), first, second)
end

-- --- constructors and their option structs -------------------------------------------------------------
local field_of = {NUMBER = "double %s", BOOL = "bool %s", PAIR = "double %s[2]"}

-- Returns the options that C has: not those for PyTorch's own ways of computing (foreach, fused).
local function fields_of(m)
  local out = {}
  for _, o in ipairs(m.options) do
    if field_of[o.kind] then out[#out + 1] = o end
  end
  return out
end

local function declaration(m)
  return option_struct.declaration{title = m.name, id = m.id, parameters = fields_of(m), added = m.added,
    field = function(o) return field_of[o.kind]:format(o.name) end, required = function() end,
    constructor = ("/* %s%s\n * %s */\nTOCHA_API tocha_optimizer *tocha_optim_%s(tocha_context *cx, int count, tocha_tensor *const *parameters, const tocha_%s_options *options);")
      :format(m.name, m.signature, m.doc, m.id, m.id)}
end

local function public_header(list)
  local declarations = {}
  for i, m in ipairs(list) do declarations[i] = declaration(m) end
  return option_struct.header("optimizers.h", [[optimizers.h: constructors of optimizers and their option structs (generated from runtime/optim/optimizers.lua; do not edit). They
 * give the caller an optimizer with one group of parameters (tocha_optimizer_add_group adds others). options: NULL for the defaults.]],
    {"optim.h"}, declarations)
end

-- By kind: the value of an option in C, as a tocha_option. %d is its number, %s the class and the field.
local value_of = {
  NUMBER = "tocha_optim_number(&options_%s[%d], o.%s)", PAIR = "tocha_optim_pair(&options_%s[%d], o.%s)",
  BOOL = "tocha_optim_flag(&options_%s[%d], o.%s)", MAYBE = "options_%s[%d].default_value",
}

local function constructor(m, index)
  local defaults, values = {("sizeof(tocha_%s_options)"):format(m.id)}, {}
  for i, o in ipairs(m.options) do values[i] = value_of[o.kind]:format(m.id, i - 1, o.name) end
  for _, o in ipairs(fields_of(m)) do
    defaults[#defaults + 1] = (".%s = %s"):format(o.name, (o.default:gsub("[();]", {["("] = "{", [")"] = "}", [";"] = ","})))
  end
  return (([[

static const tocha_SNAKE_options defaults_SNAKE = {DEFAULTS};
void tocha_SNAKE_options_init(tocha_SNAKE_options *options, size_t size) {
  tocha_optim_options_init(options, size, &defaults_SNAKE, sizeof defaults_SNAKE);
}
tocha_optimizer *tocha_optim_SNAKE(tocha_context *cx, int count, tocha_tensor *const *parameters, const tocha_SNAKE_options *options) {
  tocha_SNAKE_options o = defaults_SNAKE;
  if (!tocha_optim_options_read(cx, "NAME", options, &o, sizeof o, 0, NULL)) return NULL;
  const tocha_option given[] = {VALUES};
  return tocha_optim_create(cx, &tocha_optimizer_classes[INDEX], count, parameters, given);
}
]]):gsub("%u%u%u%u+", {SNAKE = m.id, NAME = m.name, DEFAULTS = table.concat(defaults, ", "), VALUES = table.concat(values, ", "), INDEX = tostring(index)}))
end

-- Returns the function that reads the options as plain numbers, the formulas' `x` (write_numbers.lua).
local function options_reader(m)
  local values = {}
  for _, o in ipairs(m.options) do
    for _, name in ipairs(o.names) do
      local value = ("o[%d].%s"):format(o.index, m.reads[name].member)
      local is_flag = o.kind == "BOOL" or o.kind == "MAYBE"   -- nil is false
      values[#values + 1] = (is_flag and "      .%s = %s.value.integer != 0,\n" or
        "      .%s = tocha_scalar_real(%s),\n"):format(name, value)
    end
  end
  return ([[
static inline tocha_%s_values read_%s(const tocha_option *o) {
  return (tocha_%s_values){
%s  };
}
]]):format(m.id, m.id, m.id, table.concat(values))
end

-- Returns a function whose body may read x.
local function reading(m, head, body)
  return ("\nstatic %s {\n  const tocha_%s_values x = read_%s(o);\n  (void)x;\n%s}\n"):format(head, m.id, m.id, body)
end

-- --- checks ----------------------------------------------------------------------------------------------
-- Returns the checks "condition: message" that follow from a name.
local function standard_checks(name)
  if name == "betas" then
    return {"beta1 >= 0 and beta1 < 1: Invalid beta parameter at index 0: {beta1}",
      "beta2 >= 0 and beta2 < 1: Invalid beta parameter at index 1: {beta2}"}
  end
  local called = ({lr = "learning rate", eps = "epsilon value"})[name] or name .. " value"
  return {("%s >= 0%s: Invalid %s: {%s}"):format(name, name == "rho" and " and rho <= 1" or "", called, name)}
end

local function check_c(m, check)
  local condition, message = check:match "^(.-):%s*(.*)$"
  local is_runtime_error, values = message:find "^RuntimeError: ", {}
  message = message:gsub("^RuntimeError: ", "")
  message = message:gsub("{([%w_]+)}", function(name)
    local read = m.reads[name] or m:fail("no option '%s'", name)
    values[#values + 1] = (", o[%d].%s"):format(read.option.index, read.member)
    return "%s"
  end)
  if #values > 2 then m:fail "a message shows two options at most" end
  return ("  if (!(%s))\n    return refuse(cx, %s, \"%s\"%s);\n"):format(host_c(m, expressions.read(condition, m.name .. ", check")),
    is_runtime_error and "TOCHA_RUNTIME_ERROR" or "TOCHA_VALUE_ERROR", message, table.concat(values) .. (", none"):rep(2 - #values))
end

local function check_function(m)
  local body = {}
  for _, check in ipairs(m.check or {}) do
    for _, c in ipairs(check:find ":" and {check} or standard_checks(check)) do body[#body + 1] = check_c(m, c) end
  end
  return reading(m, ("bool check_%s(tocha_context *cx, const tocha_option *o)"):format(m.id), table.concat(body) .. "  return true;\n")
end

-- --- states ----------------------------------------------------------------------------------------------
local function states_table(m)
  local names = {}
  for i, s in ipairs(m.states) do names[i] = ("\"%s\", "):format(s.name) end
  return ("static const char *const states_%s[] = {%sNULL};\n"):format(m.id, table.concat(names))
end

local function needs_function(m)
  local always, sometimes = 0, {}
  for _, s in ipairs(m.states) do
    if s.condition then
      sometimes[#sometimes + 1] = (" | (%s ? %du : 0)"):format(host_c(m, s.condition), 1 << s.index)
    else
      always = always | 1 << s.index
    end
  end
  return reading(m, ("unsigned needs_%s(const tocha_option *o)"):format(m.id), ("  return %du%s;\n"):format(always, table.concat(sometimes)))
end

local function initial_function(m)
  local body = {}
  for _, s in ipairs(m.states) do
    if s.initial then body[#body + 1] = ("  if (state == %d) return %s;\n"):format(s.index, host_c(m, s.initial)) end
  end
  if #body == 0 then return "" end
  m.has_initial = true
  return reading(m, ("double initial_%s(const tocha_option *o, int state)"):format(m.id), table.concat(body) .. "  return 0;\n")
end

-- --- the numbers of a step -------------------------------------------------------------------------------
local function prepare_function(m)
  return reading(m, ("void prepare_%s(const tocha_option *o, tocha_step_state *state, tocha_update *u)"):format(m.id),
    ("  tocha_numbers_%s(&x, state, u);\n"):format(m.id)) ..
    reading(m, ("void values_%s(const tocha_option *o, double *values)"):format(m.id), "  memcpy(values, &x, sizeof x);\n")
end

-- --- the classes -----------------------------------------------------------------------------------------
local function limits(m, rule)
  return ("_Static_assert(%d <= TOCHA_MAX_STATES && %d <= TOCHA_STEP_STATES && %d <= TOCHA_STEP_NUMBERS, \"too many\");\n"):format(
    #m.states, rule and #rule.arrays or 0, rule and #rule.numbers or 0) ..
    ("_Static_assert(%d <= TOCHA_NUMBER_STATES && sizeof(tocha_%s_values) <= TOCHA_OPTION_VALUES * sizeof(double), \"too many\");\n"):format(
      rule and #m.states - #rule.arrays or 0, m.id)
end

local DEVICES = "['cuda', 'xpu', 'hpu', 'privateuseone', 'xla']"   -- as PyTorch lists them

local function index_of(m, option) return m.reads[option] and m.reads[option].option.index or -1 end

local function class_row(m)
  local base, numbers = m.base or m, 0
  for _, s in ipairs(base.states) do
    if s.number then numbers = numbers | 1 << s.index end
  end
  return ([[
    {.name = "%s", .options = options_%s, .option_count = %d, .states = states_%s, .number_states = %du,
     .states_first = %s, .capturable = %d, .differentiable = %d, .captured = "%s must be on supported devices: %s",
     .check = check_%s, .needs = needs_%s, .initial = %s, .prepare = %s, .values = %s, .rule = %d, .run = %s},
]]):format(m.name, m.id, #m.options, base.id, numbers, tostring(base.states_first == true), index_of(base, "capturable"),
    index_of(base, "differentiable"), base.captured or "params and state_steps", m.name == "Adadelta" and DEVICES:gsub(", 'xla'", "") or DEVICES, base.id, base.id, base.has_initial and "initial_" .. base.id or "NULL",
    base.rule and "prepare_" .. base.id or "NULL", base.rule and "values_" .. base.id or "NULL", base.rule or -1, base.run or "NULL")
end

--- Returns optimizers.c for these entries (read_optimizers.lua) and their rules.
function write_optimizers.source(list, rules)
  local out, rows = {[[
/* optimizers.c: the optimizers as data (generated from runtime/optim/optimizers.lua). x: the options as plain numbers. */
#include <math.h>

#include <stddef.h>
#include <string.h>

#include "optim/functions.h"
#include "optim/numbers.h"
#include "optim/options.h"
#include "tocha/optimizers.h"
#include "core/text.h"

static const tocha_scalar none = {0};

/* Fails because of the values a and b of options, which the message shows. Returns false. */
static bool refuse(tocha_context *cx, tocha_error_code code, const char *message, tocha_scalar a, tocha_scalar b) {
  char texts[2][32];
  tocha_fail(cx, code, message, tocha_format_scalar(a, texts[0]), tocha_format_scalar(b, texts[1]));
  return false;
}
]]}, {}
  for _, m in ipairs(list) do
    out[#out + 1] = ("\n/* --- %s: %s */\n\nstatic const tocha_option_declaration options_%s[] = {\n"):format(m.name, m.doc, m.id)
    for _, o in ipairs(m.options) do out[#out + 1] = option_row(m, o) end
    out[#out + 1] = ("};\n_Static_assert(%d <= TOCHA_MAX_OPTIONS, \"too many options\");\n"):format(#m.options)
    if not m.base then
      local rule = m.rule and rules[m.rule + 1]
      out[#out + 1] = limits(m, rule) .. states_table(m) .. options_reader(m) .. check_function(m) .. needs_function(m) ..
        initial_function(m) .. (rule and prepare_function(m) or "")
    end
    rows[#rows + 1] = class_row(m)
  end
  out[#out + 1] = ("\nconst tocha_optimizer_class tocha_optimizer_classes[] = {\n%s};\nconst int tocha_optimizer_class_count = %d;\n"):format(
    table.concat(rows), #rows)
  for i, m in ipairs(list) do out[#out + 1] = constructor(m, i - 1) end
  return table.concat(out)
end

local function functions_header(list)
  local out = {[[
/* functions.h: the whole steps that runtime/optim must define (generated from runtime/optim/optimizers.lua). */
#ifndef TOCHA_OPTIM_FUNCTIONS_H
#define TOCHA_OPTIM_FUNCTIONS_H

#include "optim/optimizer.h"

]]}
  for _, m in ipairs(list) do
    if m.run then
      out[#out + 1] = ("bool %s(tocha_context *cx, tocha_optimizer *optimizer, const tocha_closure *closure);\n"):format(m.run)
    end
  end
  out[#out + 1] = "\n#endif\n"
  return table.concat(out)
end

--- Writes the files above with write(path, text).
function write_optimizers.generate(runtime, output, write)
  local list = optimizers.load(runtime .. "/optim/optimizers.lua")
  local rules = write_rules.rules(list)
  write(output .. "/include/tocha/optimizers.h", public_header(list))
  write(output .. "/optim/functions.h", functions_header(list))
  write(output .. "/optim/numbers.h", write_numbers.header(list, rules))
  write(output .. "/optim/rules.h", write_rules.rules_header(rules))
  write(output .. "/optim/loops.h", write_rules.loops_header(rules))
  write(output .. "/optim/optimizers.c", write_optimizers.source(list, rules))
end

return write_optimizers
