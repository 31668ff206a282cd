-- write_modules.lua: reads nn/modules.lua and nn/initializers.lua (plain data) and writes the C code that follows from
-- them below the output folder:
--
--   include/tocha/nn/NAME.h   the constructor of one class: a caller includes only this
--   include/tocha/nn/init.h   the initializers
--   include/tocha/modules.h   all of them, for host programs
--   nn/functions/NAME.h       the prototypes of the functions that runtime/nn defines under that name
--   nn/modules.c              the table of classes, their constructors, how members are made and drawn
--   nn/initializers.c         the table of initializers
--
-- Called by generate.lua, which passes its writers.
local write_modules = {}
local read = require "read"
local members = require "members"
local types = require "c_types"
local connections = require "connections"
local option_struct, write_options = require "option_struct", require "write_options"

--- The files of nn/modules that are read after nn/modules.lua.
write_modules.families = {"convolution", "pooling", "normalization", "shape", "embedding", "loss", "recurrent", "attention", "transformer", "lazy"}

local function fields(text)
  local out = {}
  for key in text:gmatch "%S+" do out[key] = true end
  return out
end

local of_module = fields "op as inputs check parameters buffers init reset forward repr declared container sizes takes_anything doc script space lists defaults version later base uses details call run lua added"
local of_initializer = fields "doc"

local function parse(name, entry, known)
  local m = {name = name, signature = entry[1] .. " -> Tensor"}
  for key, value in pairs(entry) do
    if key ~= 1 then
      if not known[key] then error(name .. ": unknown field '" .. tostring(key) .. "'", 0) end
      m[key] = value
    end
  end
  if not m.doc then error(name .. ": no doc", 0) end
  m.parameter_lines, m.buffer_lines = m.parameters, m.buffers
  read.parse_signature(m)   -- m.parameters: the constructor's, from here on
  m.signature = entry[1]
  option_struct.mark_added(name, m.parameters, m.added)
  return m
end

-- Replaces m.call, the signature of forward as text, by what it means: parameters, positional, results. The tensors among the
-- parameters become m.inputs.
local function parse_call(m)
  if not m.call then return end
  if not m.run then error(m.name .. ": a call without run", 0) end
  local call, inputs = {name = m.name .. ".forward", signature = m.call}, {}
  read.parse_signature(call)
  for _, p in ipairs(call.parameters) do
    if p.kind == "tensor" or p.kind == "tensors" then inputs[#inputs + 1] = p.name .. (p.optional and "?" or "") end
  end
  m.call, m.inputs = call, table.concat(inputs, ", ")
end

-- A doc text says (N, C, ...), which is spelled out for a module with a fixed number of dimensions. The meaning of
-- reduction is added here, too.
local images = {"(N, C, L)", "(N, C, H, W)", "(N, C, D, H, W)"}
local function spelled(m)
  local doc = m.space and m.doc:gsub("%(N, C, %.%.%.%)", images[m.space]) or m.doc
  if not m.signature:find("reduction=", 1, true) then return doc end
  return doc .. " The result is the mean; with reduction = 'sum' the sum, with 'none' each by itself."
end

-- Fails if the fields `uses`, `defaults` or `repr` of the entry name an option that the constructor does not have.
local function check_options(m)
  local options = {}
  for _, p in ipairs(m.parameters) do options[p.name] = true end
  local function check(name, field)
    if not options[name] then error(("%s: %s: there is no option %s"):format(m.name, field, name), 0) end
  end
  for name in pairs(m.uses or {}) do check(name, "uses") end
  for name, other in pairs(m.defaults or {}) do
    check(name, "defaults")
    check(other, "defaults")
  end
  for name in (m.repr or ""):gmatch "{([%w_]+)[^}]*}" do check(name, "repr") end
end

--- Return the entry of an initializer, or of a module that may use these initializers (by name), as a table.
function write_modules.initializer(name, entry) return parse(name, entry, of_initializer) end
function write_modules.module(name, entry, initializers)
  local m = parse(name, entry, of_module)
  m.doc = spelled(m)
  parse_call(m)
  check_options(m)
  members.read(m, initializers)
  return m
end

-- Returns the entry of the lazy form of a class: the base's constructor without the option `learned`, which nn/lazy.c learns.
-- defaults: other defaults than the base has.
local function lazy_entry(base, name, learned, other_defaults)
  local signature = base[1]:gsub("int " .. learned .. ", ", "", 1)
  for option, value in pairs(other_defaults or {}) do signature = signature:gsub(option .. "=[%w.]+", option .. "=" .. tostring(value)) end
  return {signature, lua = true, base = name, init = "lazy", reset = "lazy", forward = "lazy", space = base.space, lists = base.lists,
    version = base.version, later = base.later, added = base.added, declared = base.declared, repr = (base.repr:gsub("{" .. learned .. "}", "0", 1)),
    doc = ("%s that learns %s from its first input; from then on it is one."):format(name, learned)}
end

--- Returns the classes and initializers below the folder runtime, in order.
function write_modules.load(runtime)
  local out, by_name = {modules = {}, initializers = {}}, {}
  local function run(file, env) assert(loadfile(runtime .. "/nn/" .. file, "t", env))() end
  run("initializers.lua", {initializer = function(name)
    return function(entry)
      by_name[name] = write_modules.initializer(name, entry)
      out.initializers[#out.initializers + 1] = by_name[name]
    end
  end})
  local environment, entries = {ipairs = ipairs}, {}
  function environment.module(name)
    return function(entry)
      entries[name] = entry
      out.modules[#out.modules + 1] = write_modules.module(name, entry, by_name)
    end
  end
  function environment.lazy(base, learned, other_defaults)
    environment.module("Lazy" .. base)(lazy_entry(entries[base], base, learned, other_defaults))
  end
  run("modules.lua", environment)
  for _, family in ipairs(write_modules.families) do run("modules/" .. family .. ".lua", environment) end
  return out
end

-- Converts names: "CrossEntropyLoss" -> "cross_entropy_loss", "ReLU6" -> "relu6", "BCEWithLogitsLoss" ->
-- "bce_with_logits_loss"
local function snake(name)
  local s = name:gsub("[PR]?[RS]?[ei]?LU", {ReLU = "Relu", SiLU = "Silu", RReLU = "Rrelu"}):gsub("PRelu", "Prelu"):gsub("(%l)(%u)", "%1_%2"):gsub("(%u)(%u%l)", "%1_%2"):gsub("1Loss", "1_Loss")
  return s:lower()
end
write_modules.snake = snake

local function names(text)
  local out = {}
  for name in text:gmatch "[%w_]+" do out[#out + 1] = name end
  return out
end

-- --- headers ---------------------------------------------------------------------------------------
local function header(file, about, body)
  local guard = file:upper():gsub("[^%w]", "_")
  return ([[
/* %s: %s */
#ifndef %s
#define %s

%s
#endif
]]):format(file:match "[^/]+$", about, guard, guard, body)
end

local function public(body)
  return ([[
#include "tocha/options.h"

#ifdef __cplusplus
extern "C" {
#endif
%s
#ifdef __cplusplus
}
#endif
]]):format(body)
end

local function prototype(w, m, returns)
  local list = {"tocha_context *cx"}
  for _, p in ipairs(m.parameters) do
    if not p.added then list[#list + 1] = w.parameter_c(p) end
  end
  return ("%s(%s)"):format(returns, table.concat(list, ", "))
end

-- Returns the prototype of the C function that calls forward with all of its arguments.
local function call_prototype(m)
  local list = {"tocha_context *cx", "tocha_module *module"}
  for _, p in ipairs(m.call.parameters) do list[#list + 1] = types.parameter_c(p) end
  for _, p in ipairs(types.return_parameters(m.call)) do list[#list + 1] = p end
  return ("%stocha_nn_%s_forward(%s)"):format(types.return_type(m.call), snake(m.name), table.concat(list, ", "))
end

local function constructor_prototype(w, m) return prototype(w, m, "tocha_module *tocha_nn_" .. snake(m.name)) end
local function initializer_prototype(w, m) return prototype(w, m, "tocha_tensor *tocha_init_" .. m.name) end

local function declaration(m, c)
  return ("\n/* %s%s\n * %s */\nTOCHA_API %s;\n"):format(m.name, m.signature, m.doc, c)
end

local function write_public_headers(output, w, list)
  local folder, includes = output .. "/include/tocha/", {}
  local function add(name, about, body)
    w.write(folder .. "nn/" .. name .. ".h", header("tocha/nn/" .. name .. ".h", about, public(body)))
    includes[#includes + 1] = ('#include "tocha/nn/%s.h"\n'):format(name)
  end
  local initializers = {}
  for _, m in ipairs(list.initializers) do initializers[#initializers + 1] = declaration(m, initializer_prototype(w, m)) end
  add("init", "the initializers of torch.nn.init (generated from runtime/nn/initializers.lua; do not edit). They return the tensor\n" ..
    " * they filled; NULL means failure. An optional number is a pointer, NULL for none.", table.concat(initializers))
  for _, m in ipairs(list.modules) do
    local call = m.call and ("\n/* The forward of %s%s\n * Omitted tensors are NULL; results that are not wanted, too. Results belong to the scope. */\nTOCHA_API %s;\n")
      :format(m.name, m.call.signature, call_prototype(m)) or ""
    add(snake(m.name), "the constructor of torch.nn." .. m.name .. " (generated from runtime/nn/modules.lua; do not edit).",
      declaration(m, constructor_prototype(w, m)) .. call .. write_options.declaration(m, snake(m.name)))
  end
  table.sort(includes)
  w.write(folder .. "modules.h", header("tocha/modules.h", "a constructor for every class of torch.nn, and the initializers of torch.nn.init " ..
    "(generated\n * from runtime/nn/modules.lua and initializers.lua; do not edit). Constructors give the caller a module (nn.h),\n" ..
    " * initializers return the tensor they filled; NULL means failure. An optional number is a pointer, NULL for none.",
    table.concat(includes)))
end

local kinds = {
  {"init", "bool tocha_module_init_%s(tocha_context *cx, tocha_module *module);\n"},
  {"reset", "bool tocha_module_reset_%s(tocha_context *cx, tocha_module *module);\n"},
  {"forward", "tocha_tensor *tocha_module_forward_%s(tocha_context *cx, tocha_module *module, int count,\n" ..
    "                                         tocha_tensor *const *inputs);\n"},
  {"run", "bool tocha_module_run_%s(tocha_context *cx, tocha_module *module, const tocha_arg *a,\n" ..
    "                             tocha_results *results);\n"},
}

-- Writes nn/functions/NAME.h for each name that an entry gives to init, reset, forward or run. Returns the names.
local function write_function_headers(output, w, list)
  local lines, order = {}, {}
  for _, m in ipairs(list.modules) do
    for _, kind in ipairs(kinds) do
      local name = m[kind[1]]
      if name then
        if not lines[name] then order[#order + 1] = name end
        lines[name] = lines[name] or {}
        lines[name][kind[1]] = kind[2]:format(name)
      end
    end
  end
  table.sort(order)
  for _, name in ipairs(order) do
    local body = {'#include "nn/module.h"\n\n'}
    for _, kind in ipairs(kinds) do body[#body + 1] = lines[name][kind[1]] end
    local file = ("nn/functions/%s.h"):format(name)
    w.write(output .. "/" .. file, header(file, "what runtime/nn must define (generated from runtime/nn/modules.lua; do not edit).", table.concat(body)))
  end
  return order
end

-- --- tables ----------------------------------------------------------------------------------------
local function parameter_table(w, out, id, m)
  if #m.parameters == 0 then return "NULL" end
  out[#out + 1] = ("static const tocha_parameter %s[] = {\n"):format(id)
  for _, p in ipairs(m.parameters) do out[#out + 1] = w.parameter_row(p) end
  out[#out + 1] = "};\n"
  return id
end

local function sorted_keys(t)
  local out = {}
  for key in pairs(t) do out[#out + 1] = key end
  table.sort(out)
  return out
end

-- Writes pairs of names as a C table.
local function rename_table(out, id, pairs_of_names)
  if not pairs_of_names then return "NULL" end
  out[#out + 1] = ("static const tocha_rename %s[] = {"):format(id)
  for _, name in ipairs(sorted_keys(pairs_of_names)) do out[#out + 1] = ('{"%s", "%s"}, '):format(name, pairs_of_names[name]) end
  out[#out + 1] = "{NULL, NULL}};\n"
  return id
end

-- Returns, as C or NULL, how the constructor first uses its arguments (like `uses` of operators, see spec/golden/facts.py; "int or None": it
-- is checked).
local function words(w, m)
  local uses = {}
  for i, p in ipairs(m.parameters) do uses[i] = m.uses and m.uses[p.name] and w.quote(m.uses[p.name]) or "NULL" end
  return m.uses and ("&(const tocha_python_words){.uses = (const char *const[]){%s}}"):format(table.concat(uses, ", ")) or "NULL"
end

-- Returns the row of a class in the table. Adds the objects that the row points to to `out` first.
local function class_row(w, m, out)
  local id = snake(m.name)
  local parameters = parameter_table(w, out, "parameters_" .. id, m)
  local call = "NULL"
  if m.call then
    local call_parameters = parameter_table(w, out, "call_parameters_" .. id, m.call)
    out[#out + 1] = ("static const tocha_module_call_signature call_%s = {\n  .parameters = %s, .parameter_count = %d, .positional = %d, .result_count = %d};\n")
      :format(id, call_parameters, #m.call.parameters, m.call.positional, #m.call.results)
    call = "&call_" .. id
  end
  local inputs, optional = names(m.inputs or "input"), 0
  for _ in (m.inputs or ""):gmatch "%?" do optional = optional + 1 end
  out[#out + 1] = ("static const char *const inputs_%s[] = {\"%s\"};\n"):format(id, table.concat(inputs, '", "'))
  local op_arguments = m.op and ("(const int8_t[]){%s}"):format(table.concat(m.op_arguments, ", ")) or "NULL"
  local renames = rename_table(out, "renames_" .. id, m.as)
  local defaults = rename_table(out, "defaults_" .. id, m.defaults)
  local init, reset = members.source(m, id, w, out)
  return ([[
  {.name = %s, .base = %s, .declared = %s, .words = %s,
   .doc = %s,
   .signature = %s,
   .parameters = %s, .parameter_count = %d, .positional = %d,
   .container = TOCHA_CONTAINER_%s, .inputs = inputs_%s, .input_count = %d, .size_count = %d, .takes_anything = %s,
   .optional_inputs = %d, .space = %d, .list_length = %d, .in_lua = %s, .script = %s, .call = %s,
   .repr = %s, .op = %s, .op_arguments = %s, .renames = %s, .defaults = %s, .version = %d, .later_member = %s,
   .code = &(const tocha_module_code){%s, %s, %s, %s}},
]]):format(w.quote(m.name), m.base and w.quote(m.base) or "NULL", w.quote(m.declared or m.name), words(w, m), w.quote(read.text_of(m)), w.quote(m.signature), parameters, #m.parameters, m.positional,
    m.container or "NONE", id, #inputs, m.sizes or 0, tostring(m.takes_anything or false),
    optional, m.space or 0, m.lists or 0, tostring(m.lua or false), m.script and w.quote(m.script) or "NULL", call,
    w.quote(m.repr or ""), m.op and w.quote(m.op) or "NULL", op_arguments, renames, defaults, m.version or 1, m.later and w.quote(m.later) or "NULL", init, reset,
    m.forward and "tocha_module_forward_" .. m.forward or "NULL", m.run and "tocha_module_run_" .. m.run or "NULL")
end

-- Returns the definition of the C function that calls the forward of class number `index` with all of its arguments.
local function call_source(w, m, index)
  local args, results, several = {}, {}, #m.call.results > 1
  for i, p in ipairs(m.call.parameters) do args[i] = w.packed(p) end
  for i, name in ipairs(m.call.results) do results[i] = several and ("  if (%s) *%s = called.fixed[%d];\n"):format(name, name, i - 1) or "" end
  return ("%s {\n  const tocha_arg args[] = {%s};\n  tocha_results called;\n  if (!tocha_module_call_class(cx, &tocha_module_classes[%d], module, args, &called)) return %s;\n%s  return %s;\n}\n")
    :format(call_prototype(m), table.concat(args, ", "), index, several and "false" or "NULL", table.concat(results), several and "true" or "called.fixed[0]")
end

local function modules_source(w, list, functions)
  local out, rows = {}, {}
  for _, m in ipairs(list.modules) do rows[#rows + 1] = class_row(w, m, out) end
  out[#out + 1] = "\nconst tocha_module_class tocha_module_classes[] = {\n" .. table.concat(rows) .. "};\n"
  out[#out + 1] = ("const int tocha_module_class_count = %d;\n\n"):format(#rows)
  for i, m in ipairs(list.modules) do
    local args = {}
    for k, p in ipairs(m.parameters) do
      args[k] = p.added and ("tocha_module_classes[%d].parameters[%d].default_value"):format(i - 1, k - 1) or w.packed(p)
    end
    out[#out + 1] = ("%s {\n  const tocha_arg args[] = {%s};\n  return tocha_module_construct(cx, &tocha_module_classes[%d], args);\n}\n"):format(
      constructor_prototype(w, m), #args > 0 and table.concat(args, ", ") or "{0}", i - 1)
    if m.call then out[#out + 1] = call_source(w, m, i - 1) end
    out[#out + 1] = write_options.source(m, snake(m.name), i - 1)
  end
  local body, includes = table.concat(out), {}
  for _, name in ipairs(functions) do includes[#includes + 1] = ('#include "nn/functions/%s.h"\n'):format(name) end
  return ([[
/* modules.c: the module classes as data, their constructors, and the functions that create their members and draw values
 * (generated from runtime/nn/modules.lua; do not edit). */
#include <math.h>
#include <stddef.h>

%s#include "nn/construct.h"
#include "nn/options.h"
#include "tocha/modules.h"

%s%s]]):format(table.concat(includes), body:find "[^_]no_device" and "static const tocha_device no_device = {TOCHA_NO_DEVICE, -1};\n\n" or "", body)
end

local function initializers_source(w, list)
  local out, entries = {[[
/* initializers.c: the initializers of torch.nn.init as data (generated from runtime/nn/initializers.lua; do not edit). */
#include "nn/initializer.h"
#include "tocha/nn/init.h"

]]}, {}
  for _, m in ipairs(list.initializers) do
    local id = "parameters_" .. m.name
    parameter_table(w, out, id, m)
    local args = {"cx"}
    for i, p in ipairs(m.parameters) do args[#args + 1] = w.unpacked(p, i - 1) end
    out[#out + 1] = ("static tocha_tensor *call_%s(tocha_context *cx, const tocha_arg *a) {\n  return tocha_init_%s(%s);\n}\n"):format(
      m.name, m.name, table.concat(args, ", "))
    entries[#entries + 1] = ("  {%s, %s, %d, %d, call_%s},\n"):format(w.quote(m.name), id, #m.parameters, m.positional, m.name)
  end
  out[#out + 1] = "\nconst tocha_initializer tocha_initializers[] = {\n" .. table.concat(entries) .. "};\n"
  out[#out + 1] = ("const int tocha_initializer_count = %d;\n"):format(#entries)
  return table.concat(out)
end

--- Writes all files below output. runtime: the folder that contains nn; operators: the list of operators.
function write_modules.generate(runtime, output, writers, operators)
  local list, by_name = write_modules.load(runtime), {}
  for _, op in ipairs(operators) do by_name[op.name] = op end
  for _, m in ipairs(list.modules) do m.op_arguments = connections.of(m, by_name) end
  write_public_headers(output, writers, list)
  local functions = write_function_headers(output, writers, list)
  writers.write(output .. "/nn/modules.c", modules_source(writers, list, functions))
  writers.write(output .. "/nn/initializers.c", initializers_source(writers, list))
end

return write_modules
