-- write_rules.lua: writes the step of one element for each optimizer as C. A rule is
--
--   class    the entry (read_optimizers.lua)
--   arrays   the names of its states that are tensors
--   numbers  {c, e}: values that are computed once a step, in float64
--   flags    {c, e, under}: its conditions, a bit each; under: the conditions around it, {{flag, value}, ...}, outermost first
--   body     the C of one element
local write_rules = {}
local expressions = require "expressions"
local optimizers = require "read_optimizers"

-- Returns the index, from 0, of an item in a list of distinct ones, and adds the item if it is new.
local function place(list, key, item)
  if not list[key] then
    list[#list + 1] = item
    list[key] = #list
  end
  return list[key] - 1
end

local function key_of(under)
  local out = {}
  for i, u in ipairs(under) do out[i] = (" %d=%s"):format(u[1], u[2]) end
  return table.concat(out)
end

-- --- one element -----------------------------------------------------------------------------------------
local Rule = {}
Rule.__index = Rule

-- Returns C that reads or writes a name.
function Rule:variable(name)
  local state = self.class.by_state[name]
  if name == "p" then return "*p" end
  if not state then
    if name ~= "g" and not self.temporaries[name] then self.class:fail("'%s' is neither option, state nor assigned to", name) end
    return name
  end
  if state.number then self.class:fail("the number '%s' cannot be assigned to in step", name) end
  local is_there = not state.condition
  for _, u in ipairs(self.under) do
    is_there = is_there or u[2] and self.flags[u[1] + 1].c == optimizers.host_c(self.class, state.condition)
  end
  if not is_there then self.class:fail("'%s' is not there in every step", name) end
  return "*" .. name
end

function Rule:style()
  return {
    fail = function(...) self.class:fail(...) end,
    whole = function(e)   -- an expression that depends on no element is computed once a step
      local has_name = false
      expressions.each_name(e, function() has_name = true end)
      if not has_name or not optimizers.is_uniform(self.class, e) then return nil end
      local c = optimizers.host_c(self.class, e)
      return ("u[%d]"):format(place(self.numbers, c, {c = c, e = e}))
    end,
    number = function(text) return ("STEP_NUMBER(%s)"):format(text) end,
    name = function(name) return self:variable(name) end,
    binary = function(sign, a, b)   -- rounds after each operator; a number is rounded before it is added
      local function element(c) return sign:find "[+-]" and c:find "^u%[%d+%]$" and ("STEP_ROUND(%s)"):format(c) or c end
      return ("STEP_ROUND(%s %s %s)"):format(element(a), sign, element(b))
    end,
    power = function() self.class:fail "^ is for numbers alone" end,
    call = function(name, args)
      return ("tocha_step_%s(%s%s)"):format(name, table.concat(args, ", "), name == "add" and ", flags" or "")
    end,
  }
end

function Rule:assignment(s, indent)
  if self.class.reads[s.name] then self.class:fail("'%s' is an option", s.name) end
  return ("%s%s = %s;\n"):format(indent, self:variable(s.name), expressions.c(s[2], self:style()))
end

function Rule:conditional(s, indent)
  local out, outer = {}, self.under
  local inner = {table.unpack(outer)}
  for i = 2, #s do
    local condition, block = s[i][1], s[i][2]
    local head = i > 2 and " else {\n" or indent
    if condition then
      if not optimizers.is_uniform(self.class, condition) then self.class:fail "a condition of elements is by_sign(x, below, zero, above)" end
      local c = optimizers.host_c(self.class, condition)
      local flag = place(self.flags, c .. key_of(inner), {c = c, e = condition, under = {table.unpack(inner)}})
      inner[#inner + 1] = {flag, true}
      head = ("%sif (flags & %du) { /* %s */\n"):format(i > 2 and " else " or indent, 1 << flag, c:gsub("x%.", ""))
    end
    self.under = inner
    out[#out + 1] = head .. self:block(block, indent .. "  ") .. indent .. "}"
    if condition then inner[#inner] = {inner[#inner][1], false} end
  end
  self.under = outer
  return table.concat(out) .. "\n"
end

function Rule:block(block, indent)
  local out = {}
  for _, s in ipairs(block) do out[#out + 1] = s[1] == "if" and self:conditional(s, indent) or self:assignment(s, indent) end
  return table.concat(out)
end

local function make_rule(class)
  local rule = setmetatable({class = class, arrays = {}, numbers = {}, flags = {}, under = {}, temporaries = {}}, Rule)
  for _, s in ipairs(class.states) do
    if not s.number then rule.arrays[#rule.arrays + 1] = s.name end
  end
  local names = {}
  expressions.each_set(class.step, function(s)
    if s.name ~= "p" and s.name ~= "g" and not class.by_state[s.name] and not rule.temporaries[s.name] then
      rule.temporaries[s.name] = true
      names[#names + 1] = s.name
    end
  end)
  rule.body = (#names > 0 and "  T " .. table.concat(names, ", ") .. ";\n" or "") .. rule:block(class.step, "  ")
  return rule
end

--- Returns the rules of the entries that have one, in order. Sets entry.rule to the rule's number.
function write_rules.rules(list)
  local out = {}
  for _, m in ipairs(list) do
    if m.step then
      m.rule = #out
      out[#out + 1] = make_rule(m)
    end
  end
  return out
end

-- --- rules.h: for C and for C++ ----------------------------------------------------------------------------
-- Returns the results of format for the name or number of each state, joined.
local function each_array(rule, format)
  local out = {}
  for i, name in ipairs(rule.arrays) do out[i] = format:gsub("%$(%a+)", {name = name, number = tostring(i - 1)}) end
  return table.concat(out)
end

local function element_function(rule)
  local m, numbers = rule.class, {}
  for i, number in ipairs(rule.numbers) do numbers[i] = ("%d: %s"):format(i - 1, number.c:gsub("x%.", "")) end
  return ([[

/* %s: %s
 * u: %s */
STEP_FUNCTION void tocha_step_%s(T *p, T g, %sconst T *u, unsigned flags) {
  (void)flags;
%s}
]]):format(m.name, m.doc, table.concat(numbers, ", "), m.id, each_array(rule, "T *$name, "), rule.body)
end

-- Returns the rule as a C++ type for templates, with its states in an array.
local function rule_type(rule)
  local m = rule.class
  return ([[
struct %s {
  enum { STATES = %d, NUMBERS = %d };
  template <class T> STEP_DEVICE static void step(T &p, T g, T *s, const T *u, unsigned flags) {
    (void)s;
    tocha_step_%s(&p, g, %su, flags);
  }
  STEP_DEVICE static void prepare(const double *values, tocha_step_state *state, tocha_update *u) {
    tocha_numbers_%s(reinterpret_cast<const tocha_%s_values *>(values), state, u);
  }
};
]]):format(m.name, #rule.arrays, #rule.numbers, m.id, each_array(rule, "&s[$number], "), m.id, m.id)
end

--- Returns rules.h. In C the including file defines the type T; in C++ the rules are templates.
function write_rules.rules_header(rules)
  local out, types, cases = {[[
/* rules.h: the step of one element for each optimizer (generated from runtime/optim/optimizers.lua). In C, the including
 * file defines the type T; in C++ the rules are templates.
 *
 * p: the parameter; g: the gradient, with its sign and weight decay; then the states; u: the numbers of the step;
 * flags: the rule's conditions, which are the same for all elements. */
#ifndef TOCHA_OPTIM_RULES_H
#define TOCHA_OPTIM_RULES_H

#include "optim/step_math.h"
]]}, {}, {}
  for i, rule in ipairs(rules) do
    out[#out + 1] = element_function(rule)
    types[i] = rule_type(rule)
    cases[i] = ("  case %d:\n    return f(%s());\n"):format(i - 1, rule.class.name)
  end
  out[#out + 1] = ([[

#ifdef __cplusplus
#include "optim/numbers.h"

namespace tocha {
namespace rules {
%s} // namespace rules

/* Calls f with the rule of that number, as a type. */
template <class F> bool with_rule(int rule, F f) {
  using namespace rules;
  switch (rule) {
%s  }
  return false;
}
} // namespace tocha
#endif

#endif
]]):format(table.concat(types), table.concat(cases))
  return table.concat(out)
end

-- --- loops.h: for the CPU ----------------------------------------------------------------------------------
-- Returns the combined values that the flags of a rule can have.
local function flag_values(rule)
  local out = {}
  for value = 0, (1 << #rule.flags) - 1 do
    local possible = true
    for i, flag in ipairs(rule.flags) do
      for _, u in ipairs(flag.under) do
        possible = possible and (value >> (i - 1) & 1 == 0 or (value >> u[1] & 1 == 1) == u[2])
      end
    end
    if possible then out[#out + 1] = value end
  end
  return out
end

local function loops_of(rule)
  local id, cases, numbers, values = rule.class.id, {}, {}, flag_values(rule)
  for i in ipairs(rule.numbers) do numbers[i] = ("STEP_SPREAD(u[%d])"):format(i - 1) end
  for i, value in ipairs(values) do
    cases[i] = ("  %s:\n    all_%s(p, g, s, n, u, %du | single);\n    break;\n"):format(i < #values and "case " .. value or "default", id, value)
  end
  return ([[

static STEP_INLINE void all_%s(T *p, const T *g, T *const *s, int64_t n, const T *u, unsigned flags) {
  const step_value numbers[] = {%s}; /* no store changes these */
  int64_t i = 0;
  STEP_INDEPENDENT
  for (; i + LANES <= n; i += LANES) tocha_step_%s(STEP_AT(p), *STEP_AT(g), %snumbers, flags);
  if (LANES == 1 || i == n) return;
  step_rest rest = load_rest(p, g, s, i, n), was = rest;
  tocha_step_%s(&rest.p, rest.g, %snumbers, flags);
  store_rest(&rest, &was, p, s, i, n);
}
static void %s(T *p, const T *g, T *const *s, int64_t n, const T *u, unsigned flags) {
  const unsigned single = flags & STEP_SINGLE;
  switch (flags & ~STEP_SINGLE) {
%s  }
}
]]):format(id, table.concat(numbers, ", "), id, each_array(rule, "STEP_AT(s[$number]), "), id, each_array(rule, "&rest.s[$number], "), id, table.concat(cases))
end

--- Returns loops.h, the rules over n elements of the CPU.
function write_rules.loops_header(rules)
  local out, names = {[[
/* loops.h: the rules over n elements, for optim/cpu/step.c (generated from runtime/optim/optimizers.lua). Each value of
 * the flags has its own loop, without conditions inside. The loops process vectors (step.c). */
]]}, {}
  for i, rule in ipairs(rules) do
    out[#out + 1] = loops_of(rule)
    names[i] = rule.class.id
  end
  out[#out + 1] = ([[

typedef void rule_loop(T *p, const T *g, T *const *s, int64_t n, const T *u, unsigned flags);
static rule_loop *const rule_loops[] = {%s};
]]):format(table.concat(names, ", "))
  return table.concat(out)
end

return write_rules
