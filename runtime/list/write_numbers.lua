-- write_numbers.lua: writes the numbers of an optimizer's step as C, for the host and, as C++, for a kernel, which computes them
-- from states on the device (capturable = true).
local write_numbers = {}
local optimizers = require "read_optimizers"
local host_c = optimizers.host_c

local function number_block(m, block, indent)
  local out = {}
  for _, s in ipairs(block) do
    if s[1] == "set" then
      local state, value = m.by_state[s.name], host_c(m, s[2])
      out[#out + 1] = ("%s%s = %s;\n"):format(indent, s.name,
        state and ("state->values[%d] = rounded(state, %s)"):format(state.index, value) or value)
    else
      for i = 2, #s do
        local condition = s[i][1] and ("if (%s) "):format(host_c(m, s[i][1])) or ""
        out[#out + 1] = ("%s%s{\n%s"):format(i > 2 and indent .. "} else " or indent, condition, number_block(m, s[i][2], indent .. "  "))
      end
      out[#out + 1] = indent .. "}\n"
    end
  end
  return table.concat(out)
end

-- Returns variables for `first`, for the states that are numbers, and for computed numbers, as far as the C after them has
-- them.
local function number_variables(m, after)
  local function has(name) return after:find("%f[%w_]" .. name .. "%f[^%w_]") ~= nil end
  local out = {has "first" and "  const bool first = state->first;\n" or ""}
  for _, s in ipairs(m.states) do
    if s.name == "step" then
      out[#out + 1] = ("  state->values[%d] = rounded(state, state->values[%d] + 1);\n"):format(s.index, s.index)
    end
    if s.number and has(s.name) then out[#out + 1] = ("  double %s = state->values[%d];\n"):format(s.name, s.index) end
  end
  for _, name in ipairs(m.computed) do out[#out + 1] = ("  double %s = 0;\n"):format(name) end
  return table.concat(out)
end

-- Returns C for the options that mean the same in every optimizer.
local function common_numbers(m)
  local out = {}
  if m.reads.maximize then out[#out + 1] = "  u->maximize = x.maximize;\n" end
  if m.reads.decoupled_weight_decay then
    out[#out + 1] = "  u->weight_decay = x.decoupled_weight_decay ? 0 : x.weight_decay;\n" ..
      "  u->shrink = x.decoupled_weight_decay ? 1 - x.lr * x.weight_decay : 1;\n"
  elseif m.reads.weight_decay then
    out[#out + 1] = "  u->weight_decay = x.weight_decay;\n"
  end
  return table.concat(out)
end

-- Returns C that sets a flag if the flags around it have the required values.
local function flag_c(rule, i)
  local c = rule.flags[i].c
  for _, u in ipairs(rule.flags[i].under) do c = (u[2] and "(%s) && (%s)" or "!(%s) && (%s)"):format(rule.flags[u[1] + 1].c, c) end
  return ("  if (%s) u->flags |= %du;\n"):format(c, 1 << (i - 1))
end

-- Returns the options as a struct of float64 alone, so that it is also an array.
local function values_struct(m)
  local members = {}
  for _, o in ipairs(m.options) do
    for _, name in ipairs(o.names) do members[#members + 1] = name end
  end
  return ("\n/* %s */\ntypedef struct tocha_%s_values {\n  double %s;\n} tocha_%s_values;\n"):format(m.name, m.id, table.concat(members, ", "), m.id)
end

-- Returns the function that counts the step and computes its numbers.
local function numbers_function(m, rule)
  local body = {number_block(m, m.numbers, "  "), common_numbers(m)}
  for i, number in ipairs(rule.numbers) do body[#body + 1] = ("  u->numbers[%d] = %s;\n"):format(i - 1, number.c) end
  for i in ipairs(rule.flags) do body[#body + 1] = flag_c(rule, i) end
  local c = table.concat(body)
  return ("NUMBERS_FUNCTION void tocha_numbers_%s(const tocha_%s_values *values, tocha_step_state *state, tocha_update *u) {\n" ..
    "  const tocha_%s_values x = *values;\n  (void)state;\n%s%s}\n"):format(m.id, m.id, m.id, number_variables(m, c), c)
end

-- Fails unless the states that are numbers come first, which a device relies on.
local function check_order(m)
  for i = 2, #m.states do
    if m.states[i].number and not m.states[i - 1].number then m:fail "the states that are numbers come first" end
  end
end

--- Returns numbers.h for these entries (read_optimizers.lua) and their rules.
function write_numbers.header(list, rules)
  local out = {[[
/* numbers.h: the options of optimizers as numbers, and the numbers of a step (generated from runtime/optim/optimizers.lua). C and
 * C++ include this file. */
#ifndef TOCHA_OPTIM_NUMBERS_H
#define TOCHA_OPTIM_NUMBERS_H

#include <math.h>

#include "optim/update.h"

#ifdef __CUDACC__
#define NUMBERS_FUNCTION __host__ __device__ static inline
#else
#define NUMBERS_FUNCTION static inline
#endif

#ifdef __cplusplus
#define NUMBERS_AS_FLOAT32(x) static_cast<double>(static_cast<float>(x))
#else
#include "core/rounding.h"
#define NUMBERS_AS_FLOAT32(x) tocha_as_float32(x)
#endif

/* Returns x rounded to the dtype of a number state. */
NUMBERS_FUNCTION double rounded(const tocha_step_state *state, double x) {
  return state->wide ? x : NUMBERS_AS_FLOAT32(x);
}
]]}
  for _, m in ipairs(list) do
    if not m.base then
      check_order(m)
      out[#out + 1] = values_struct(m)
      if m.rule then out[#out + 1] = numbers_function(m, rules[m.rule + 1]) end
    end
  end
  out[#out + 1] = "\n#endif\n"
  return table.concat(out)
end

return write_numbers
