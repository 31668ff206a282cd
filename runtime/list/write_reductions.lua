-- write_reductions.lua: writes the C of the rows of reductions (reductions.lua):
--   reduction/rows.c                 the rows as data
--   reduction/cpu/reduce_LOOP.c      a loop, compiled once for each instruction set and type
--   reduction/reduce_LOOP.cu         its CUDA kernel
--   reduction/rows.cu                which passes a row to its kernel
local writer = {}

local function number_line(loop, indent)
  return indent .. (loop.number and ("const double %s = number;\n%s(void)%s;\n"):format(loop.number, indent, loop.number) or
    "(void)number;\n")
end

-- Returns the switch over the finishes of the rows.
local function finish_switch(loop, indent)
  local out = {indent .. "switch (which) {\n"}
  for i, text in ipairs(loop.finishes) do
    out[#out + 1] = ("%scase %d:\n%s  s = (S)(%s);\n%s  break;\n"):format(indent, i, indent, text, indent)
  end
  out[#out + 1] = ("%sdefault:\n%s  break;\n%s}\n"):format(indent, indent, indent)
  return table.concat(out)
end

-- --- the CPU -----------------------------------------------------------------------------------------
-- Returns the preprocessor condition for the types that have a loop. bool stands for all bytes. Loops read narrow integers
-- unconverted if states are elements, and bytes unconverted for their sum.
local function guard_of(loop)
  if loop.counts then return "defined(TOCHA_LOOPS_bool)" end
  if loop.types == "floats" then return "defined(TOCHA_LOOPS_FLOATING)" end
  if loop.again and loop.map == "x" then return "1" end
  return loop.sum == "x" and "!defined(TOCHA_LOOPS_NARROW) || defined(TOCHA_LOOPS_bool)" or "!defined(TOCHA_LOOPS_NARROW)"
end

local function cpu_functions(loop)
  local out, map = {}, "itself"
  local function add(...) out[#out + 1] = string.format(...) end
  if loop.map ~= "x" then
    map = "map"
    add("ROW S map(S x, double number) {\n%s  return (S)(%s);\n}\n", number_line(loop, "  "), loop.map)
  end
  if loop.sum then
    add("static void plane(const tocha_plane *p, double number) { sum_plane(p, %s, number); }\n", map)
    add("static void join(const tocha_plane *p) { sum_states(p); }\n")
  else
    add("ROW S joined(S s, S t) { return %s; }\n", loop.join)
    add("static void plane(const tocha_plane *p, double number) { join_plane(p, %s, joined, %s, number); }\n", map, tostring(loop.again or false))
    add("static void join(const tocha_plane *p) { join_plane(p, itself, joined, %s, 0); }\n", tostring(loop.again or false))
  end
  if #loop.finishes > 0 then
    add([[
static void finish(int which, void *states, int64_t outputs, int64_t count, double number) {
  const S n = (S)count;
  S *at = states;
%s  (void)n;
  for (int64_t i = 0; i < outputs; i++) {
    S s = at[i];
%s    at[i] = s;
  }
}
]], number_line(loop, "  "), finish_switch(loop, "    "))
  end
  add("static const S start = %s;\n", loop.start or "0")
  return table.concat(out)
end

local function cpu_source(loop)
  local name, guard = loop.name, guard_of(loop)
  local header = '#include "ops/reduction/cpu/lanes.h"\n'
  if loop.sum then
    header = '#ifdef TOCHA_LOOPS_bool\n#include "ops/reduction/cpu/bytes.h"\n#else\n#include "ops/reduction/cpu/sum.h"\n#endif\n'
  end
  return ([[
/* reduce_%s.c: the loops of a row (generated; do not edit). */
%s#include "ops/reduction/cpu/row.h"

#if %s
%s
%sconst struct tocha_reduce_loops TOCHA_LOOPS(reduce_%s) = {plane, join, %s, &start, %s};
#else
const struct tocha_reduce_loops TOCHA_LOOPS(reduce_%s) = {0};
#endif
]]):format(name, loop.sum and "#define TOCHA_SUMS\n" or "", guard, header, cpu_functions(loop), name,
    #loop.finishes > 0 and "finish" or "NULL", tostring(not loop.sum), name)
end

local function rows_source(rows)
  local out = {[[
/* rows.c: the rows of reductions as data (generated; do not edit). */
#include "core/isa.h"
#include "ops/reduction/kernels.h"

typedef const struct tocha_reduce_loops *const loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];
]]}
  for _, loop in ipairs(rows.loops) do
    if not loop.cpu then out[#out + 1] = ("extern loops_table tocha_reduce_%s_loops_table;\n"):format(loop.name) end
  end
  for _, row in ipairs(rows) do
    local facts = {('.name = "%s"'):format(row.name),
      ".kind = TOCHA_REDUCE_" .. (row.cpu or "row"):upper(), ".result = TOCHA_RESULT_" .. row.result:upper(),
      (".loop = %d, .finish = %d"):format(row.loop.index, row.finish_index)}
    if row.counts then facts[#facts + 1] = ".counts = true" end
    if row.empty == "refused" then facts[#facts + 1] = ".wants_elements = true" end
    if not row.cpu then facts[#facts + 1] = (".loops = tocha_reduce_%s_loops_table"):format(row.loop.name) end
    out[#out + 1] = ("\nextern const tocha_reduction tocha_reduction_%s;\nconst tocha_reduction tocha_reduction_%s = {%s};\n"):format(
      row.name, row.name, table.concat(facts, ", "))
  end
  return table.concat(out)
end

-- --- CUDA ----------------------------------------------------------------------------------------------
local function cuda_source(loop)
  return ([[
/* reduce_%s.cu: the kernel of a row (generated; do not edit). */
#include "reduction/row.h"

namespace tocha {
namespace {

template <class A> struct Row {
  enum { integers = %s };
  using T = A;
  using S = %s;
  using State = S;
  using Value = A;
  double number;
  static __device__ S map(T x, double number) {
%s    return static_cast<S>(%s);
  }
  static __device__ S joined(S s, S t) { return %s; }
  static __device__ S finished(int which, S s, S n, double number) {
%s    (void)n;
%s    return s;
  }
  __device__ State start() const { return static_cast<S>(%s); }
  __device__ void add(State &s, Value x, long long) const { s = joined(s, map(x, number)); }
  __device__ State join(State s, State t) const { return joined(s, t); }
  __device__ void finish(const ReducePlan &plan, long long output, State s) const {
    s = finished(plan.finish, s, static_cast<S>(plan.count), number);
    put<S>(plan, plan.out, plan.out_dtype, output, s);
  }
};

} // namespace

bool reduce_%s(Stream *stream, const ReducePlan &plan) { return start_row<Row>(stream, plan); }

} // namespace tocha
]]):format(loop.name, loop.types == "floats" and "false" or "true", loop.counts and "int64_t" or "A", number_line(loop, "    "),
    loop.map, loop.sum and "ADD(s, t)" or loop.join, number_line(loop, "    "), finish_switch(loop, "    "), loop.start or "0",
    loop.name)
end

local function cuda_index(loops)
  local externs, names = {}, {}
  for i, loop in ipairs(loops) do
    externs[i] = ("bool reduce_%s(Stream *stream, const ReducePlan &plan);\n"):format(loop.name)
    names[i] = "reduce_" .. loop.name
  end
  return ([[
/* rows.cu: passes a row to its kernel (generated; do not edit). */
#include "reduction/plan.h"

namespace tocha {

%s
bool reduce_row(Stream *stream, const ReducePlan &plan) {
  static bool (*const loops[])(Stream *, const ReducePlan &) = {%s};
  return loops[plan.loop](stream, plan);
}

} // namespace tocha
]]):format(table.concat(externs), table.concat(names, ", "))
end

--- Writes all files below the folder output with write(path, text).
function writer.generate(rows, output, write)
  write(output .. "/reduction/rows.c", rows_source(rows))
  for _, loop in ipairs(rows.loops) do
    if not loop.cpu then write(("%s/reduction/cpu/reduce_%s.c"):format(output, loop.name), cpu_source(loop)) end
    write(("%s/reduction/reduce_%s.cu"):format(output, loop.name), cuda_source(loop))
  end
  write(output .. "/reduction/rows.cu", cuda_index(rows.loops))
end

return writer
