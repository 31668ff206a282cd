-- generate.lua: reads the lists and writes the C code that follows from them.
--
--   lua5.4 runtime/list/generate.lua RUNTIME_DIR OUTPUT_DIR [files]
--
-- writes below OUTPUT_DIR
--   include/tocha/ops/NAME.h    the prototypes of one operator: a caller includes only this, so that a new entry
--                               recompiles only its own family
--   include/tocha/ops.h         all of them, for host programs
--   FAMILY/implementations.h    the functions that the C files of a family must define
--   FAMILY/operators.c          a family's table, argument marshalling, entry points and gradient rules
--   operators.c                 the list of families
--   include/tocha/limits.h      the largest numbers of parameters and results
-- and the files that write_modules.lua makes of the lists in nn, write_optimizers.lua of optim/optimizers.lua,
-- write_schedulers.lua of optim/schedulers.lua, write_functions.lua of bindings/functions.lua, and write_cpp.lua of all of
-- these for C++. With `files` it only prints the names of all files.
local runtime, output, only_names = arg[1], arg[2], arg[3] == "files"
package.path = runtime .. "/list/?.lua;" .. package.path
local read = require "read"
local parameter_bits = require "bits"
local list = read.load(runtime)
for _, op in ipairs(list) do
  if op.says then
    error(("%s says its '%s', which PyTorch decides: see runtime/ops/%s/pytorch.json, written by spec/golden/facts.py"):format(op.name, op.says, op.family))
  end
end
local rules, signature, defaults = require "gradients", require "signature", require "defaults"

local types, calls = require "c_types", require "operator_calls"
local list_kind, optional_pointer, c_name, unpacked = types.list_kind, types.optional_pointer, types.c_name, types.unpacked
local parameter_c, return_type, short_form = types.parameter_c, types.return_type, types.short_form
local full_parameters = types.full_parameters
local function full_name(op) return (select(2, types.function_names(op))) end

local function write(path, text)
  if only_names then
    io.write(path, " ")
    return
  end
  local old = io.open(path)
  local same = old and old:read "a" == text
  if old then old:close() end
  if same then return end            -- an untouched file causes no recompilation
  local f = io.open(path, "w")
  if not f then
    os.execute(("mkdir -p '%s'"):format(path:match "^(.*)/"))
    f = assert(io.open(path, "w"))
  end
  f:write(text)
  f:close()
end

local function quote(s) return (("%q"):format(s):gsub("\\\n", "\\n")) end

-- Returns the name of the function that computes an operator with rounds = "steps" step by step.
local function stepwise(implementation) return (implementation:gsub("^tocha_op_", "tocha_steps_")) end

-- --- FAMILY/implementations.h ----------------------------------------------------------------------
local function implementations_header(family)
  local out = {([[
/* implementations.h: the functions that the C files of the family %s must define (generated from its entries).
 * The result of an in-place form without a formula is copied into its first argument. */
#ifndef TOCHA_%s_IMPLEMENTATIONS_H
#define TOCHA_%s_IMPLEMENTATIONS_H

#include "dispatch/call.h"

struct tocha_formula_use;
struct tocha_reduction;
]]):format(family.name, family.name:upper(), family.name:upper())}
  local seen, lines = {}, {}
  local function line(name, text, entry)
    if not seen[name] then
      seen[name] = text
      lines[#lines + 1] = text
    elseif entry and seen[name]:gsub("[%w_]+([,)])", "%1") ~= text:gsub("[%w_]+([,)])", "%1") then   -- equal except for the parameters' names
      error(("%s: its implementation has other parameters for another entry:\n  %s  %s"):format(entry, text, seen[name]))
    end
  end
  for _, op in ipairs(family) do
    local name = op.implementation
    local own = not op.inplace_of or op.implementation ~= list.by_name[op.inplace_of].implementation
    if own and not (op.formula or op.reduce or op.expression or op.functional_of or op.outplace_of or op.copy_of) then
      line(name, ("%s%s(%s);\n"):format(return_type(op), name, types.implementation_parameters(op)), op.name)
      if op.rounds then
        line(stepwise(name), ("%s%s(%s);\n"):format(return_type(op), stepwise(name), types.implementation_parameters(op)), op.name)
      end
    end
    if op.backward then line(op.backward, ("bool %s(tocha_backward_frame *frame);\n"):format(op.backward)) end
  end
  for _, formulas in ipairs(list.formulas.files) do
    for _, f in ipairs(formulas) do
      if f.prepare and f.family == family.name then
        line(f.prepare, ("bool %s(tocha_context *cx, struct tocha_formula_use *use);\n"):format(f.prepare))
      end
    end
  end
  table.sort(lines, function(a, b) return a:match "[%w_]+%(" < b:match "[%w_]+%(" end)
  for _, row in ipairs(list.reductions) do
    if row.family == family.name then
      line(row, ("extern const struct tocha_reduction tocha_reduction_%s;\n"):format(row.name))
    end
  end
  return table.concat(out) .. table.concat(lines) .. "\n#endif\n"
end

-- --- the table -------------------------------------------------------------------------------------
-- Returns the call behind NAME.functional: NAME or NAME_ with the same arguments. Other parameters have their
-- defaults.
local function functional_call(op)
  local target, index, args = list.by_name[op.functional_of], {}, {"cx"}
  for i, p in ipairs(op.parameters) do index[p.name] = i - 1 end
  for i, p in ipairs(target.parameters) do
    local at = i == 1 and 0 or index[p.name]
    args[#args + 1] = at and unpacked(p, at) or defaults.c(p)
  end
  return ("(a[%d].value.flag ? %s : %s)(%s)"):format(index.inplace, full_name(list.by_name[op.functional_of .. "_"]), full_name(target),
    table.concat(args, ", "))
end

-- Returns the call behind an out-of-place form: NAME_ of a copy of self. The copy is contiguous if the form has
-- out=.
local function outplace_call(op)
  local format = op.out and [["torch.contiguous_format"]] or "NULL"
  local args = {"cx", ("fresh_copy(cx, a[0].tensor, %s)"):format(format)}
  for i = 2, #op.parameters do args[i + 1] = unpacked(op.parameters[i], i - 1) end
  return ("%s(%s)"):format(full_name(list.by_name[op.outplace_of]), table.concat(args, ", "))
end

-- Returns the condition under which an operator with rounds = "steps" rounds after every step: one of its tensors
-- requires it.
local function rounds_steps(op)
  local conditions = {}
  for i, p in ipairs(op.parameters) do
    if p.kind == "tensor" and not p.optional then
      conditions[#conditions + 1] = ("tocha_rounds_steps(cx, a[%d].tensor->dtype, a[%d].tensor->device)"):format(i - 1, i - 1)
    end
  end
  return table.concat(conditions, " || ")
end

-- Returns the call of an operator's C function.
local function implementation_call(op)
  local args, implementation = {"cx"}, op.implementation
  for i, p in ipairs(op.parameters) do args[#args + 1] = unpacked(p, i - 1) end
  for _, constant in ipairs(types.constants(op)) do args[#args + 1] = constant.value end
  if op.value or op.list then args[#args + 1] = "r" end
  if #op.results > 1 then
    for i = 1, #op.results do args[#args + 1] = ("&r->fixed[%d]"):format(i - 1) end
  end
  if op.rounds then implementation = ("(%s ? %s : %s)"):format(rounds_steps(op), stepwise(implementation), implementation) end
  return ("%s(%s)"):format(implementation, table.concat(args, ", "))
end

-- Returns the function that the table calls. Adds the headers that the function needs to the set `headers`.
local function thunk(op, headers)
  local source = op.copy_of and list.by_name[op.copy_of] or op
  local call, stored
  if source.expression then call, stored = calls.entry(source, headers) else call = implementation_call(source) end
  if stored and (op.copy_of and not op.list or op.inplace_of) then error(op.name .. ": this form needs an expression that is one tensor") end
  if op.copy_of then
    call = (op.list and "%s && copied_views(cx, r)" or "tocha_copy_rows(cx, %s)"):format(call)
  elseif op.functional_of then
    call = functional_call(op)
  elseif op.outplace_of then
    call = outplace_call(op)
  elseif op.inplace_of and op.composite then
    call = ("copied_back(cx, a[0].tensor, %s)"):format(call)
  elseif op.inplace_of then
    local base = list.by_name[op.inplace_of]
    call = ("tocha_write_self(cx, %s, a[0].tensor, %s)"):format(call, tostring(base.structured or false))
  end
  local body
  if op.last_optional then
    body = ("  if (!%s) return false;\n  if (!r->fixed[%d]) r->count--;\n  return true;\n"):format(call, #op.results - 1)
  elseif stored or op.value or op.list or #op.results > 1 then
    body = ("  return %s;\n"):format(call)
  else
    body = ("  return (r->fixed[0] = %s) != NULL;\n"):format(call)
  end
  return ("static bool call_%s(tocha_context *cx, const tocha_op *op, const tocha_arg *a, tocha_results *r) {\n  (void)op;\n%s}\n")
    :format(c_name(op), body)
end

local pack_c = {
  tensor = ".tensor = %s", scalar = ".value.scalar = %s", int = ".value.integer = %s", dim = ".value.integer = %s",
  index = ".value.integer = %s", float = ".value.real = %s", bool = ".value.flag = %s", string = ".value.string = %s",
  dtype = ".value.dtype = %s", device = ".value.device = %s", generator = ".value.generator = %s",
  module = ".value.module = %s",
}

local function packed(p)
  local n = p.name
  if p.kind == "operand" then return ("{.tensor = %s.tensor, .value.scalar = %s.scalar, .given = true}"):format(n, n) end
  if p.kind == "tensors" then return ("{.value.tensors = %s, .count = %s_count, .given = %s}"):format(n, n, p.optional and n .. " != NULL" or "true") end
  if list_kind[p.kind] then return ("{.value.%s = %s, .count = %s_count, .given = %s}"):format(p.kind == "floats" and "reals" or "ints", n, n, p.optional and n .. " != NULL" or "true") end
  if p.optional and optional_pointer[p.kind] then
    local zero = p.kind == "scalar" and "tocha_int(0)" or "0"
    return "{" .. pack_c[p.kind]:format(("%s ? *%s : %s"):format(n, n, zero)) .. (", .given = %s != NULL}"):format(n)
  end
  local given = "true"
  if p.kind == "dtype" then given = n .. " != TOCHA_NO_DTYPE" end
  if p.kind == "device" then given = n .. ".type != TOCHA_NO_DEVICE" end
  if p.optional and (p.kind == "tensor" or p.kind == "string" or p.kind == "generator" or p.kind == "module") then given = n .. " != NULL" end
  return "{" .. pack_c[p.kind]:format(n) .. (", .given = %s}"):format(given)
end

-- Returns a C expression that fails and is false if a C program passed an invalid argument, or nil if the argument
-- cannot be invalid.
local function given_check(op, p)
  local n, who = p.name, ("cx, %s, %s"):format(quote(op.lua_name), quote(p.name))
  if p.kind == "tensor" and not p.optional then return ("tocha_given_operand(%s, tocha_operand_of(%s))"):format(who, n) end
  if p.kind == "operand" then return ("tocha_given_operand(%s, %s)"):format(who, n) end
  if p.kind == "dtype" then return ("tocha_given_dtype(%s, %s)"):format(who, n) end
  if p.kind == "string" and not p.optional then return ("tocha_given_text(%s, %s)"):format(who, n) end
  if p.kind == "tensors" then return ("tocha_given_tensors(%s, %s_count, %s, %s)"):format(who, n, n, tostring(p.optional or p.holes or false)) end
  if list_kind[p.kind] then return ("tocha_given_ints(%s, %s_count, %s)"):format(who, n, n) end
end

-- Returns the two exported functions of an entry, of which one calls the other.
local function entry_point(op, index)
  local short, full = types.function_names(op)
  local short_parameters, short_arguments, differs = short_form(op)
  local args, failure = {}, return_type(op) == "bool " and "false" or "NULL"
  for _, p in ipairs(op.parameters) do args[#args + 1] = packed(p) end
  local out = {("%s%s(%s) {\n"):format(return_type(op), differs and full or short, full_parameters(op))}
  if op.list or op.value then
    local result, kind = op.list and "results" or "result", op.list and "tensors" or op.value
    out[#out + 1] = ("  if (!%s) return tocha_refuse_none(cx, %s, %s, %s);\n  *%s = %s;\n"):format(result, quote(op.lua_name), quote(result), quote(kind), result,
      op.list and "(tocha_tensors){0}" or "false")
  end
  if op.inplace_of and op.parameters[1].kind == "scalar" then     -- an in-place form generated by the list: a number cannot be written
    out[#out + 1] = ("  if (!tocha_failed(cx)) return tocha_refuse_none(cx, %s, \"self\", \"Tensor\");\n"):format(quote(op.lua_name))
  end
  for _, p in ipairs(op.parameters) do     -- an argument whose computation failed makes the call fail
    local check = given_check(op, p)
    if check then out[#out + 1] = ("  if (!%s) return %s;\n"):format(check, failure) end
  end
  out[#out + 1] = ("  const tocha_arg args[] = {%s};\n"):format(#args > 0 and table.concat(args, ", ") or "{0}")
  local unwanted = {}
  for i, r in ipairs(not op.list and #op.results > 1 and op.results or {}) do unwanted[i] = ("!%s << %d"):format(r, i - 1) end
  local caller = unwanted[1] and ("tocha_call_for(cx, &operators[%d].op, args, &called, %s)"):format(index, table.concat(unwanted, " | "))
  out[#out + 1] = ("  tocha_results called;\n  if (!%s) return %s;\n"):format(
    caller or ("tocha_call(cx, &operators[%d].op, args, &called)"):format(index), failure)
  if op.list then
    out[#out + 1] = "  return tocha_tensors_of_results(cx, &called, results);\n}\n"
  elseif op.value then
    out[#out + 1] = "  *result = called.value.value.flag;\n  return true;\n}\n"
  elseif #op.results > 1 then
    for i, r in ipairs(op.results) do out[#out + 1] = ("  if (%s) *%s = called.fixed[%d];\n"):format(r, r, i - 1) end
    out[#out + 1] = "  return true;\n}\n"
  else
    out[#out + 1] = "  return called.fixed[0];\n}\n"
  end
  out[#out + 1] = ("%s%s(%s) { return %s(%s); }\n"):format(return_type(op), differs and short or full, short_parameters,
    differs and full or short, short_arguments)
  return table.concat(out)
end

local function parameter_row(p)
  local standard = "{0}"
  if p.default ~= nil then standard = defaults.arg(p) end
  return ("  {%s, TOCHA_KIND_%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s},\n"):format(quote(p.name), p.kind:upper(), tostring(p.optional),
    tostring(p.stated or false), tostring(p.default ~= nil), tostring(p.keyword_only), tostring(p.variadic), tostring(p.single or false), tostring(p.holes or false),
    standard, quote(p.python), tostring(p.words or false))
end

local flag_names = {composite = "COMPOSITE", inplace_of = "INPLACE", writes_self = "INPLACE", view = "VIEW", any_device = "ANY_DEVICE",
  list = "LIST", out = "OUT", value = "VALUE", unlisted = "UNLISTED", leaf = "LEAF", factory = "FACTORY", uninitialized = "UNINITIALIZED",
  python_method = "PYTHON_METHOD"}

-- Returns true if PyTorch's function of this name, in the entry's namespace, is a Python function.
local function is_python(op)
  if op.python ~= nil then return op.python end
  return op.namespace == "nn.functional" and op.lua_name:sub(-1) ~= "_"   -- relu_ and the like are not
end

-- Returns the number of arguments from which one entry stands for several signatures of PyTorch: those of a tensor
-- and a number, or those with and without a generator.
local function hides(op)
  if op.hides then return op.hides end
  local from = 0
  for i, p in ipairs(op.parameters) do
    if p.kind == "operand" or p.kind == "scalar" and i == 1 then return 1 end
    if p.kind == "generator" and i == op.positional + 1 then from = i end
  end
  return from
end

-- Returns the tocha_refused_signature of an entry as C, or NULL.
local function refused(op)
  if not op.refused then return "NULL" end
  local parameters, positional = signature.parameters(op.refused[2]:sub(2, -2), op.name)
  local rows = {}
  for i, p in ipairs(parameters) do rows[i] = parameter_row(p) end
  return ("&(const tocha_refused_signature){%s, (const tocha_parameter[]){\n%s}, %d, %d}"):format(quote(op.refused[1]),
    table.concat(rows), #parameters, positional)
end

-- Returns, by parameter, how the Python function first uses an argument. A Python function always looks up a
-- reduction.
local function uses(op)
  local of, any = {}, false
  for _, p in ipairs(op.parameters) do
    of[p.name] = op.uses and op.uses[p.name] or is_python(op) and p.name == "reduction" and p.kind == "string" and "reduction" or nil
    any = any or of[p.name] ~= nil
  end
  return any and of or nil
end

-- Returns the tocha_python_words of an entry as C, or NULL.
local function words(op)
  local used = uses(op)
  local name = type(op.python) == "string" and op.python or op.python_method and "Tensor." .. op.lua_name or
    op.python == false and op.inner
  if not (name or op.inner or used or op.inner_parameters or op.inner_kinds or op.names) then return "NULL" end
  local function by_parameter(of)
    local out, any = {}, false
    for i, p in ipairs(op.parameters) do
      out[i] = of[p.name] and quote(of[p.name]) or "NULL"
      any = any or of[p.name]
    end
    if op.out then out[#out + 1] = "NULL" end   -- out= stands behind the counted parameters
    return any and ("(const char *const[]){%s}"):format(table.concat(out, ", ")) or "NULL"
  end
  return ("&(const tocha_python_words){.name = %s, .inner = %s, .uses = %s, .inner_parameters = %s, .inner_kinds = %s, .names = %s}"):format(
    name and quote(name) or "NULL", op.inner and quote(op.inner) or "NULL", by_parameter(used or {}),
    by_parameter(op.inner_parameters or {}), by_parameter(op.inner_kinds or {}), by_parameter(op.names or {}))
end

-- Returns the tocha_out_rule of an entry as C, or NULL.
local function out_c(op)
  local rule = op.out
  if not rule then return "NULL" end
  local function text(value) return value and quote(value) or "NULL" end
  local flags = ""
  for _, name in ipairs {"type_error", "resizes", "keeps", "first", "only_out", "contiguous", "counted", "floating"} do
    if rule[name] then flags = flags .. (".%s = true, "):format(name) end
  end
  return ("&(const tocha_out_rule){TOCHA_OUT_%s, TOCHA_OUT_%s, %s.recorder = %s, .copies = %s, .distinct = %s, .words = {%s, %s}, .uncastable = %s}"):format(
    rule.dtype:upper(), rule.memory:upper(), flags, text(rule.recorder), text(rule.copies), text(rule.distinct), text(rule[1]), text(rule[2]), text(rule.uncastable))
end

-- Returns the parameter row of out=: a tensor, or one for each result.
local function out_row(op)
  return parameter_row {name = "out", kind = #op.results > 1 and "tensors" or "tensor", optional = true, keyword_only = true,
    variadic = false, python = #op.results > 1 and "tuple of Tensors" or "Tensor"}
end

-- Classes of autocast = "lower", or {cpu = "float32", cuda = "lower"}
local autocast_classes = {lower = "LOWER", float32 = "FLOAT32", float32_dtype = "FLOAT32_DTYPE", widest = "WIDEST", refuse = "REFUSE"}
local function autocast_c(op)
  if not op.autocast then return "0" end
  local function class(device)
    local name = type(op.autocast) == "table" and op.autocast[device] or type(op.autocast) == "string" and op.autocast
    return name and (autocast_classes[name] or error(op.name .. ": unknown autocast class '" .. name .. "'")) or "NONE"
  end
  return ("TOCHA_AUTOCAST(%s, %s)"):format(class "cpu", class "cuda")
end

-- Returns the bits of the parameters that may not require grad.
local function constants(op)
  local bits = 0
  for _, name in ipairs(op.constant or {}) do
    for i, p in ipairs(op.parameters) do if p.name == name then bits = bits | 1 << (i - 1) end end
  end
  return bits
end

-- Returns the name of the operator that messages about them name.
local function refuser(op)
  return op.constants_of or (op.namespace == "linalg" and "linalg_" or "") .. op.lua_name:gsub("^_", "")
end

local float8_bits = {float8_e4m3fn = 1, float8_e5m2 = 2, float8_e4m3fnuz = 4, float8_e5m2fnuz = 8, float8_e8m0fnu = 16}

-- Returns the rule of float8 dtypes in C. An operator that no program can call refuses them, unless its entry says `float8 = true`.
local function float8_c(op)
  local rule = op.float8
  if rule == nil and #op.forms == 0 and not op.composite then rule = ('"%s" not implemented for \'{dtype}\''):format(op.lua_name) end
  if rule == nil or rule == true then return "{0}" end
  if type(rule) == "string" then rule = {words = rule} end
  local accepted, code, message = 0, "NOT_IMPLEMENTED_ERROR", rule.words
  for _, dtype in ipairs(rule.accepts or {}) do accepted = accepted | float8_bits[dtype] end
  if message and message:find "^RuntimeError: " then code, message = "RUNTIME_ERROR", message:sub(15) end
  return ("{%d, TOCHA_%s, %s, %s}"):format(accepted, code, message and quote(message) or "NULL", rule.beside_number and quote(rule.beside_number) or "NULL")
end

local function op_row(op)
  local flags = {}
  for key, name in pairs(flag_names) do if op[key] then flags[#flags + 1] = "TOCHA_OP_" .. name end end
  if op.host == "without library" then flags[#flags + 1] = "TOCHA_OP_SOLVES" end
  if op.host ~= true then flags[#flags + 1] = "TOCHA_OP_NATIVE" end
  for form, suffix in pairs {["function"] = "", method = "_METHOD"} do
    local shown = op.overloaded
    if type(shown) == "table" then shown = shown[form] end
    if shown then flags[#flags + 1] = "TOCHA_OP_OVERLOADED" .. suffix end
    if shown == "one" then flags[#flags + 1] = "TOCHA_OP_ONE_SHOWN" .. suffix end
  end
  if op.hides then flags[#flags + 1] = "TOCHA_OP_HIDES" end
  local number = op.number_first   -- if PyTorch makes a tensor of the number, the signature has no out=
  if number == "both" or type(number) == "table" and number.both then flags[#flags + 1] = "TOCHA_OP_OUT_ALONE" end
  if op.draws and not (op.inplace_of or op.writes_self) then flags[#flags + 1] = "TOCHA_OP_DRAWS" end   -- in-place fills check for themselves
  if is_python(op) then flags[#flags + 1] = "TOCHA_OP_PYTHON" end
  table.sort(flags)
  local forms = {}
  for _, f in ipairs(op.forms) do forms[#forms + 1] = "TOCHA_FORM_" .. (({torch = "TORCH", method = "METHOD"})[f] or "FUNCTIONAL") end
  if op.attribute then forms[#forms + 1] = "TOCHA_FORM_ATTRIBUTE" end
  local name = c_name(op)
  local g = rules.masks(op)
  return ([[
  {.op = {.name = %s, .lua_name = %s, .namespace_ = %s, .node_name = %s,
   .signature = %s,
   .doc = %s,
   .parameters = parameters_%s, .parameter_count = %d, .positional = %d, .result_count = %d,
   .flags = %s, .forms = %s, .hides = %d, .words = %s, .refused = %s, .lua_alias = %s, .symbol = %s, .reversed = %s, .same_as = %s},
   .bits = %s, .autocast = %s, .float8 = %s,
   .memory = TOCHA_MEMORY_%s, .memory_first = %s, .one_device = %s, .node_of_tensors = %s, .constants = %d, .constants_of = %s, .differentiable = %d, .save_inputs = %d, .save_results = %d, .graphless = %d, .tied = %s, .edge_inputs = %s,
   .forward = %s, .backward = %s, .out = %s},
]]):format(quote(op.name), quote(op.lua_name), quote(op.namespace), quote(op.node), quote(op.signature), quote(read.text_of(op)),
    op.parameters_of or name, #op.parameters, op.positional, (op.list or op.value) and 0 or #op.results,
    #flags > 0 and table.concat(flags, " | ") or "0", #forms > 0 and table.concat(forms, " | ") or "0", hides(op), words(op), refused(op), op.lua and quote(op.lua) or "NULL",
    op.symbol and quote(op.symbol) or "NULL", op.reversed and quote(op.reversed) or "NULL", op.same_as and quote(op.same_as) or "NULL",
    parameter_bits(op), autocast_c(op), float8_c(op),
    (op.memory or op.family == "pointwise" and "partial" or "any"):upper(), tostring(op.memory_first or op.formula ~= nil), tostring(op.one_device == true), op.node_of_tensors and quote(op.node_of_tensors) or "NULL", constants(op), op.constant and quote(refuser(op)) or "NULL",
    g.differentiable, g.save_inputs, g.save_results, g.graphless, tostring(op.tied or false),
    g.edge_inputs and "(const uint32_t[]){" .. table.concat(g.edge_inputs, ", ") .. "}" or "NULL",
    op.formula and ("tocha_elementwise, .formula = &tocha_formula_%s"):format(op.formula.name) or
      op.reduce and ("tocha_reduce_by_row, .reduction = &tocha_reduction_%s"):format(op.reduce.name) or "call_" .. name,
    rules.function_name(op) or "NULL", out_c(op))
end

local function operators_source(family)
  local gradients, needed = rules.source(family)
  local copies = false
  local enumerators = false   -- a family with kernels may name their tasks and kinds
  for _, op in ipairs(family) do
    for _, constant in ipairs(types.constants(op)) do enumerators = enumerators or constant.value:find "^TOCHA_" ~= nil end
    needed[op.header] = true
    if op.inplace_of and op.composite then needed.copy_ = true end
    copies = copies or op.copy_of
    if op.outplace_of then
      needed.clone, needed[list.by_name[op.outplace_of].header] = true, true
    end
    if op.functional_of then
      for _, name in ipairs {op.functional_of, op.functional_of .. "_"} do needed[list.by_name[name].header] = true end
    end
  end
  local thunks = {}
  for _, op in ipairs(family) do if not (op.formula or op.reduce) then thunks[#thunks + 1] = thunk(op, needed) end end
  local includes, externs, declared, reduces, steps = {}, {}, {}, false, false
  for header in pairs(needed) do includes[#includes + 1] = ('#include "tocha/ops/%s.h"\n'):format(header) end
  table.sort(includes)
  for _, op in ipairs(family) do
    local name = op.formula and op.formula.name
    reduces, steps = reduces or op.reduce, steps or op.rounds
    if name and not declared[name] then
      declared[name] = true
      externs[#externs + 1] = ("extern const tocha_formula tocha_formula_%s;\n"):format(name)
    end
  end
  local out = {([[
/* operators.c: the operators of the family %s as data, their typed entry points and gradient rules (generated
 * from its entries). */
#include "%s/implementations.h"

#include "dispatch/required_arguments.h"
%s%s
]]):format(family.name, family.name, (steps and '#include "dispatch/rounding.h"\n' or "") .. (next(externs) and '#include "ops/pointwise/elementwise.h"\n' or "") ..
    (reduces and '#include "ops/reduction/reduce.h"\n' or "") .. (copies and '#include "tensor/copy.h"\n' or "") ..
    (enumerators and ('#include "ops/%s/kernels.h"\n'):format(family.name) or ""), table.concat(includes))}
  local body = {table.concat(externs), #externs > 0 and "\n" or ""}
  for _, op in ipairs(family) do
    if not op.parameters_of then
      body[#body + 1] = ("static const tocha_parameter parameters_%s[] = {\n"):format(c_name(op))
      for _, p in ipairs(op.parameters) do body[#body + 1] = parameter_row(p) end
      if op.out then body[#body + 1] = out_row(op) end
      if #op.parameters == 0 then body[#body + 1] = "  {0},\n" end
      body[#body + 1] = "};\n"
    end
  end
  local calls_made = table.concat(thunks)
  if calls_made:find("copied_back(", 1, true) then
    body[#body + 1] = [[
static inline tocha_tensor *copied_back(tocha_context *cx, tocha_tensor *self, tocha_tensor *result) {
  if (!result || result == self) return result;
  if (!tocha_check_castable(cx, result->dtype, self->dtype)) return NULL;
  return tocha_copy_(cx, self, result, false);
}
]]
  end
  if calls_made:find("fresh_copy(", 1, true) then
    body[#body + 1] = [[
/* Returns a copy whose first write does not count as a new version. */
static inline tocha_tensor *fresh_copy(tocha_context *cx, tocha_tensor *self, const char *format) {
  tocha_tensor *copy = tocha_clone_full(cx, self, format);
  if (copy) copy->storage->version--;
  return copy;
}
]]
  end
  if copies then
    body[#body + 1] = [[
static inline bool copied_views(tocha_context *cx, tocha_results *views) {
  for (int i = 0; i < views->count; i++)
    if (!(views->tensors[i] = tocha_copy_rows(cx, views->tensors[i]))) return false;
  return true;
}
]]
  end
  body[#body + 1] = calls_made
  body[#body + 1] = "\n" .. gradients
  body[#body + 1] = "static const tocha_operator operators[] = {\n"
  for _, op in ipairs(family) do body[#body + 1] = op_row(op) end
  body[#body + 1] = ("};\nconst tocha_op_family tocha_%s_operators = {%s, operators, %d};\n\n"):format(
    family.name, quote(family.name), #family)
  for i, op in ipairs(family) do
    body[#body + 1] = entry_point(op, i - 1)
  end
  body = table.concat(body)
  if body:find "[^_]no_device" then out[#out + 1] = "static const tocha_device no_device = {TOCHA_NO_DEVICE, -1};\n\n" end
  out[#out + 1] = body
  return table.concat(out)
end

local function families()
  local out, of = {}, {}
  for _, op in ipairs(list) do
    local family = of[op.family]
    if not family then
      family = {name = op.family}
      of[op.family] = family
      out[#out + 1] = family
    end
    family[#family + 1] = op
  end
  return out
end

local function index_source(all)
  local externs, names = {}, {}
  for _, family in ipairs(all) do
    externs[#externs + 1] = ("extern const tocha_op_family tocha_%s_operators;\n"):format(family.name)
    names[#names + 1] = ("&tocha_%s_operators"):format(family.name)
  end
  return ([[
/* operators.c: the families of operators (generated from runtime/list/operators.lua). */
#include "operators.h"

%s
const tocha_op_family *const tocha_op_families[] = {%s, NULL};
]]):format(table.concat(externs), table.concat(names, ", "))
end

-- The room in public structs and in callers' arrays. Larger numbers change the layout of tocha_results, and break programs.
local MAX_PARAMETERS, MAX_RESULTS = 32, 8

-- Returns the header with the largest numbers of parameters and results. Refuses lists that need more.
local function limits_header()
  local parameters, results = 0, 0
  local modules = require "write_modules".load(runtime)
  for _, entries in ipairs{list, modules.modules, modules.initializers} do
    for _, entry in ipairs(entries) do
      parameters = math.max(parameters, #entry.parameters, entry.call and #entry.call.parameters or 0)
      results = math.max(results, #entry.results, entry.call and #entry.call.results or 0)
    end
  end
  if parameters > MAX_PARAMETERS or results > MAX_RESULTS then
    error(("the lists need %d parameters and %d results: limits.h has less"):format(parameters, results))
  end
  return ([[
/* limits.h: the room for the parameters of an operator, a module or an initializer, and for the results of a call
 * (generated; do not edit). It does not follow the lists, so that layouts last. */
#ifndef TOCHA_LIMITS_H
#define TOCHA_LIMITS_H

enum { TOCHA_MAX_PARAMETERS = %d, TOCHA_MAX_RESULTS = %d };

#endif
]]):format(MAX_PARAMETERS, MAX_RESULTS)
end

write(output .. "/include/tocha/limits.h", limits_header())
require "write_headers"(list, write, output, only_names)
local all = families()
for _, family in ipairs(all) do
  write(("%s/%s/implementations.h"):format(output, family.name), implementations_header(family))
  write(("%s/%s/operators.c"):format(output, family.name), operators_source(family))
end
write(output .. "/operators.c", index_source(all))

require "write_formulas".generate(list.formulas, output, write)
require "write_reductions".generate(list.reductions, output, write)
require "write_optimizers".generate(runtime, output, write)
require "write_schedulers".generate(runtime, output, write)
local writers = {parameter_c = parameter_c, parameter_row = parameter_row, packed = packed, unpacked = unpacked, quote = quote,
  write = write}
require "write_modules".generate(runtime, output, writers, list)
require "write_cpp".generate(list, runtime, output, write)
local functions = runtime .. "/../bindings/functions.lua"
if io.open(functions) then require "write_functions".generate(functions, output .. "/bindings", writers) end
