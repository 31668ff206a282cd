-- write_formulas.lua: writes the C of the formulas of elementwise operators (formulas.lua): for each list file NAME
--   pointwise/formulas_NAME.c              the formulas as data
--   pointwise/cpu/elementwise_NAME.c       their loops, compiled once for each instruction set and type
--   pointwise/elementwise_NAME.cu          their CUDA kernels
-- for each formula pointwise/formulas/FORMULA.h, which its users include, and
--   pointwise/elementwise.cu               which passes a formula to the file with its kernels
local writer = {}

local arity = {"unary", "binary", "ternary"}

-- The compute types that have a loop, as a condition of ops/pointwise/cpu/elementwise.h.
local guards = {floats = "FLOATING", numbers = "!BOOLEAN", reals = "!BOOLEAN", all = "1", bits = "!FLOATING", integers = "INTEGER"}
local guard_order = {"1", "!BOOLEAN", "FLOATING", "!FLOATING", "INTEGER"}

local function replace_word(text, word, by) return (text:gsub("%f[%w_]" .. word .. "%f[^%w_]", by)) end

-- Returns the formula's lines: its numbers, intermediate values, and `return` of its value. V: the type used for T.
local function body(f, indent, V, returned)
  local out = {}
  local function line(text) out[#out + 1] = indent .. text .. "\n" end
  local function on_vectors(text)
    if V == "T" then return text end
    return replace_word(replace_word(text, "T", V), "SPREAD", "WIDE")
  end
  for i, name in ipairs(f.numbers) do line(("const E %s = p[%d];"):format(name, i - 1)) end
  if #f.numbers == 0 then line "(void)p;" end
  for _, s in ipairs(f.statements) do
    line(("%s%s = %s;"):format(s.declares and V .. " " or "", s.name, on_vectors(s.value)))
  end
  line(returned:format(on_vectors(f.value)))
  return table.concat(out)
end

local function inputs(f, V)
  local out = {}
  for i, name in ipairs(f.inputs) do out[i] = V .. " " .. name end
  return table.concat(out, ", ")
end

-- Returns the includes that a file of loops or kernels needs for its formulas.
local function headers(list)
  local out = {}
  for _, f in ipairs(list) do
    if f.header then out[#out + 1] = ('#include "%s"\n'):format(f.header) end
  end
  return table.concat(out)
end

-- --- the CPU's loops ---------------------------------------------------------------------------------
local function c_function(f, prefix, V, result)
  return ("static inline %s %s_%s(%s, const E *p) {\n%s}\n"):format(result, prefix, f.name, inputs(f, V), body(f, "  ", V, "return %s;"))
end

local function c_loop(f)
  local out = {}
  local nest, args = arity[#f.inputs], "formula_" .. f.name
  if f.loop == "vectors" then
    out[1] = c_function(f, "vector", "V", "V")
    args = "vector_" .. f.name
  else
    out[1] = c_function(f, "formula", "T", f.result == "bool" and "uint8_t" or "T")
  end
  if f.loop == "whole" or f.loop == "pairs" then
    out[2] = c_function(f, "vector", "V", "V")
    args = args .. ", vector_" .. f.name
  end
  if f.loop ~= "plain" then nest = nest .. "_" .. f.loop end
  if f.result == "bool" then nest = nest .. "_to_bool" end
  out[#out + 1] = ("static void run_%s(char *const *data, const int64_t *strides, int64_t n, const void *p) {\n  %s(data, strides, n, p, %s);\n}\n")
    :format(f.name, nest, args)
  return table.concat(out)
end

local function cpu_source(list)
  local out = {([[
/* elementwise_%s.c: the loops of the formulas of runtime/ops/%s (generated; do not edit). */
#include "ops/pointwise/cpu/elementwise.h"
%s
]]):format(list.name, list.path, headers(list))}
  local entries = {}
  for _, guard in ipairs(guard_order) do
    local functions, rows = {}, {}
    for _, f in ipairs(list) do
      if guards[f.types] == guard then
        functions[#functions + 1] = c_loop(f)
        rows[#rows + 1] = ("    [%d] = run_%s,\n"):format(f.index, f.name)
      end
    end
    if #rows > 0 then
      local before, after = guard == "1" and "" or "#if " .. guard .. "\n", guard == "1" and "" or "#endif\n"
      out[#out + 1] = before .. table.concat(functions, "\n") .. after .. "\n"
      entries[#entries + 1] = before .. table.concat(rows) .. after
    end
  end
  out[#out + 1] = ([[
static const tocha_elementwise_loop loops[] = {
%s    [%d] = NULL};
const struct tocha_elementwise_loops TOCHA_LOOPS(elementwise_%s) = {loops};
]]):format(table.concat(entries), #list, list.name)
  return table.concat(out)
end

-- --- the formulas as data ----------------------------------------------------------------------------
local function header(f)
  local guard = "TOCHA_FORMULAS_" .. f.name:upper() .. "_H"
  return ([[
/* %s.h: a formula of runtime/ops/%s (generated; do not edit). */
#ifndef %s
#define %s
#include "ops/pointwise/formula.h"
extern const tocha_formula tocha_formula_%s;
#endif
]]):format(f.name, f.list.path, guard, guard, f.name)
end

local function source(list)
  local out = {([[
/* formulas_%s.c: the formulas of runtime/ops/%s as data (generated; do not edit). */
#include "%s/implementations.h"
#include "core/isa.h"
#include "ops/pointwise/elementwise.h"

#define LOOPS tocha_elementwise_%s_loops_table
extern const struct tocha_elementwise_loops *const LOOPS[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];

]]):format(list.name, list.path, list.family, list.name)}
  for _, f in ipairs(list) do
    local facts = {('.name = "%s"'):format(f.name), ('.kernel = "%s"'):format(f.kernel), (".inputs = %d"):format(#f.inputs),
      (".types = TOCHA_TYPES_%s"):format(f.types:upper()), (".promotion = TOCHA_PROMOTION_%s"):format(f.promotion:upper())}
    if f.result == "bool" then facts[#facts + 1] = ".to_bool = true" end
    if f.layout ~= "operands" then facts[#facts + 1] = ".layout = TOCHA_LAID_" .. f.layout:upper() end
    if f.fits then facts[#facts + 1] = ".fits = TOCHA_FITS_" .. f.fits:upper() end
    if f.keeps_precision then facts[#facts + 1] = ".keeps_precision = true" end
    if f.prepare then facts[#facts + 1] = ".prepare = " .. f.prepare end
    if f.refuses_last then facts[#facts + 1] = ".refuses_last = true" end
    facts[#facts + 1] = (".loops = LOOPS, .list = %d, .index = %d"):format(list.index, f.index)
    out[#out + 1] = ("extern const tocha_formula tocha_formula_%s;\nconst tocha_formula tocha_formula_%s = {%s};\n"):format(
      f.name, f.name, table.concat(facts, ", "))
  end
  return table.concat(out)
end

-- --- CUDA ----------------------------------------------------------------------------------------------
-- Maximum number of elements that a thread processes together. Wide accesses gain nothing for a slow formula.
local widest = {plain = 8, vectors = 8, whole = 8, pairs = 8, slow = 1}

local function cuda_source(list)
  local structs, starts = {}, {}
  for i, f in ipairs(list) do
    local parameters = {}
    for k = 1, 3 do parameters[k] = "T" .. (f.inputs[k] and " " .. f.inputs[k] or "") end
    local result = f.result == "bool" and "unsigned char" or "T"
    structs[i] = ([[
struct Formula_%s {
  enum { inputs = %d, to_bool = %s, types = TOCHA_TYPES_%s, widest = %d };
  template <class T, class S = T, class E = T> static __device__ %s value(%s, const T *p) {
%s  }
};
]]):format(f.name, #f.inputs, tostring(f.result == "bool"), f.types:upper(), widest[f.loop], result, table.concat(parameters, ", "),
      body(f, "    ", "T", "return static_cast<" .. result .. ">(%s);"))
    starts[i] = ("    start<Formula_%s>,\n"):format(f.name)
  end
  return ([[
/* elementwise_%s.cu: the formulas of runtime/ops/%s as kernels (generated; do not edit). */
#include "pointwise/elementwise.h"
%s
namespace tocha {
namespace {

%s
const ElementwiseStart starts[] = {
%s};

} // namespace

bool elementwise_%s(Stream *stream, const tocha_elementwise_args &args) {
  return starts[args.formula->index](stream, args);
}

} // namespace tocha
]]):format(list.name, list.path, headers(list), table.concat(structs, "\n"), table.concat(starts), list.name)
end

local function cuda_index(lists)
  local externs, names = {}, {}
  for i, list in ipairs(lists) do
    externs[i] = ("bool elementwise_%s(Stream *stream, const tocha_elementwise_args &args);\n"):format(list.name)
    names[i] = "elementwise_" .. list.name
  end
  return ([[
/* elementwise.cu: passes a formula to the file with its kernels (generated; do not edit). */
#include "pointwise/launch.h"

namespace tocha {

%s
bool launch_elementwise(Stream *stream, const tocha_elementwise_args &args) {
  static bool (*const lists[])(Stream *, const tocha_elementwise_args &) = {%s};
  return lists[args.formula->list](stream, args) && launched(stream);
}

} // namespace tocha
]]):format(table.concat(externs), table.concat(names, ", "))
end

--- Writes all files below the folder output with write(path, text).
function writer.generate(formulas, output, write)
  for _, list in ipairs(formulas.files) do
    for _, f in ipairs(list) do write(("%s/pointwise/formulas/%s.h"):format(output, f.name), header(f)) end
    write(("%s/pointwise/formulas_%s.c"):format(output, list.name), source(list))
    write(("%s/pointwise/cpu/elementwise_%s.c"):format(output, list.name), cpu_source(list))
    write(("%s/pointwise/elementwise_%s.cu"):format(output, list.name), cuda_source(list))
  end
  write(output .. "/pointwise/elementwise.cu", cuda_index(formulas.files))
end

return writer
