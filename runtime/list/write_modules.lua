-- write_modules.lua: reads nn/modules.lua (plain data) and writes the C that follows from it: the table of classes,
-- their constructors, the initializers. Called by generate.lua, which lends its writers.
local write_modules = {}
local read = require "read"

local known = {}
for key in ("op as inputs init reset forward repr declared container doc"):gmatch "%S+" do known[key] = true end

local function parse(name, entry)
  local m = {name = name, signature = entry[1] .. " -> Tensor"}
  for key, value in pairs(entry) do
    if key ~= 1 then
      if not known[key] then error(name .. ": unknown field '" .. tostring(key) .. "'") end
      m[key] = value
    end
  end
  if not m.doc then error(name .. ": no doc") end
  read.parse_signature(m)
  m.signature = entry[1]
  return m
end

--- The classes and initializers of the file, in order.
function write_modules.load(path)
  local out = {modules = {}, initializers = {}}
  local function reader(list)
    return function(name)
      return function(entry) list[#list + 1] = parse(name, entry) end
    end
  end
  local env = {module = reader(out.modules), initializer = reader(out.initializers)}
  assert(loadfile(path, "t", env))()
  return out
end

-- "CrossEntropyLoss" -> "cross_entropy_loss", "ReLU6" -> "relu6", "BCEWithLogitsLoss" -> "bce_with_logits_loss"
local function snake(name)
  local s = name:gsub("[PR]?[RS]?[ei]?LU", {ReLU = "Relu", SiLU = "Silu"}):gsub("PRelu", "Prelu"):gsub("(%l)(%u)", "%1_%2"):gsub("(%u)(%u%l)", "%1_%2"):gsub("1Loss", "1_Loss")
  return s:lower()
end
write_modules.snake = snake

local function names(text)
  local out = {}
  for name in text:gmatch "[%w_]+" do out[#out + 1] = name end
  return out
end

local function parameters(w, out, id, m)
  if #m.parameters == 0 then return "NULL" end
  out[#out + 1] = ("static const tocha_parameter %s[] = {\n"):format(id)
  for _, p in ipairs(m.parameters) do out[#out + 1] = w.parameter_row(p) end
  out[#out + 1] = "};\n"
  return id
end

local function constructor_prototype(w, m)
  local list = {"tocha_context *cx"}
  for _, p in ipairs(m.parameters) do list[#list + 1] = w.parameter_c(p) end
  return ("tocha_module *tocha_nn_%s(%s)"):format(snake(m.name), table.concat(list, ", "))
end

local function initializer_prototype(w, m)
  local list = {"tocha_context *cx"}
  for _, p in ipairs(m.parameters) do list[#list + 1] = w.parameter_c(p) end
  return ("tocha_tensor *tocha_init_%s(%s)"):format(m.name, table.concat(list, ", "))
end

local function public_header(w, list)
  local out = {[[
/* modules.h: a constructor for every class of torch.nn, and the initializers of torch.nn.init (generated
 * from runtime/nn/modules.lua; do not edit). Constructors give the caller a module (nn.h), initializers return
 * the tensor they filled; NULL means failure. An optional number is a pointer, NULL for none. */
#ifndef TOCHA_MODULES_H
#define TOCHA_MODULES_H

#include "tocha/nn.h"

#ifdef __cplusplus
extern "C" {
#endif
]]}
  for _, m in ipairs(list.modules) do
    out[#out + 1] = ("\n/* %s%s\n * %s */\nTOCHA_API %s;\n"):format(m.name, m.signature, m.doc, constructor_prototype(w, m))
  end
  for _, m in ipairs(list.initializers) do
    out[#out + 1] = ("\n/* %s%s\n * %s */\nTOCHA_API %s;\n"):format(m.name, m.signature, m.doc, initializer_prototype(w, m))
  end
  out[#out + 1] = "\n#ifdef __cplusplus\n}\n#endif\n#endif\n"
  return table.concat(out)
end

local function functions_header(list)
  local kinds = {
    {"init", "bool tocha_module_init_%s(tocha_context *cx, tocha_module *module);\n"},
    {"reset", "bool tocha_module_reset_%s(tocha_context *cx, tocha_module *module);\n"},
    {"forward", "tocha_tensor *tocha_module_forward_%s(tocha_context *cx, tocha_module *module, int count,\n" ..
      "                                         tocha_tensor *const *inputs);\n"},
  }
  local out, seen = {[[
/* module_functions.h: what runtime/nn must define (generated from runtime/nn/modules.lua; do not edit). */
#ifndef TOCHA_MODULE_FUNCTIONS_H
#define TOCHA_MODULE_FUNCTIONS_H

#include "nn/module.h"

/* One function of nn.init, and how the binding calls it. */
typedef struct tocha_initializer {
  const char *name;
  const tocha_parameter *parameters;
  int parameter_count, positional;
  tocha_tensor *(*call)(tocha_context *cx, const tocha_arg *args);
} tocha_initializer;
extern const tocha_initializer tocha_initializers[];
extern const int tocha_initializer_count;

]]}, {}
  for _, m in ipairs(list.modules) do
    for _, kind in ipairs(kinds) do
      local name = m[kind[1]]
      local line = name and kind[2]:format(name)
      if line and not seen[line] then
        seen[line] = true
        out[#out + 1] = line
      end
    end
  end
  out[#out + 1] = "\n#endif\n"
  return table.concat(out)
end

local function class_row(w, m, params, inputs, renames)
  local function f(kind) return m[kind] and ("tocha_module_%s_%s"):format(kind, m[kind]) or "NULL" end
  return ([[
  {.name = %s, .declared = %s,
   .doc = %s,
   .signature = %s,
   .parameters = %s, .parameter_count = %d, .positional = %d,
   .container = TOCHA_CONTAINER_%s, .inputs = %s, .input_count = %d,
   .repr = %s, .op = %s, .renames = %s,
   .init = %s, .reset = %s, .forward = %s},
]]):format(w.quote(m.name), w.quote(m.declared or m.name), w.quote(m.doc), w.quote(m.signature), params, #m.parameters, m.positional,
    m.container or "NONE", inputs, #names(m.inputs or "input"), w.quote(m.repr or ""), m.op and w.quote(m.op) or "NULL",
    renames, f "init", f "reset", f "forward")
end

local function source(w, list)
  local out = {[[
/* nn_table.c: the module classes and initializers as data, and their entry points in C (generated from
 * runtime/nn/modules.lua; do not edit). */
#include "module_functions.h"
#include "tocha/modules.h"

static const tocha_device no_device = {TOCHA_NO_DEVICE, -1};

]]}
  local rows = {}
  for _, m in ipairs(list.modules) do
    local id = snake(m.name)
    local params = parameters(w, out, "parameters_" .. id, m)
    out[#out + 1] = ("static const char *const inputs_%s[] = {\"%s\"};\n"):format(id, table.concat(names(m.inputs or "input"), '", "'))
    local renames = "NULL"
    if m.as then
      renames = "renames_" .. id
      out[#out + 1] = ("static const tocha_rename %s[] = {"):format(renames)
      for parameter, option in pairs(m.as) do out[#out + 1] = ('{"%s", "%s"}, '):format(parameter, option) end
      out[#out + 1] = "{NULL, NULL}};\n"
    end
    rows[#rows + 1] = class_row(w, m, params, "inputs_" .. id, renames)
  end
  out[#out + 1] = "\nconst tocha_module_class tocha_module_classes[] = {\n" .. table.concat(rows) .. "};\n"
  out[#out + 1] = ("const int tocha_module_class_count = %d;\n\n"):format(#rows)
  for i, m in ipairs(list.modules) do
    local args = {}
    for _, p in ipairs(m.parameters) do args[#args + 1] = w.packed(p) end
    out[#out + 1] = ("%s {\n  const tocha_arg args[] = {%s};\n  return tocha_module_construct(cx, &tocha_module_classes[%d], args);\n}\n"):format(
      constructor_prototype(w, m), #args > 0 and table.concat(args, ", ") or "{0}", i - 1)
  end
  local entries = {}
  for _, m in ipairs(list.initializers) do
    local id = "parameters_init_" .. m.name
    parameters(w, out, id, m)
    local args = {"cx"}
    for i, p in ipairs(m.parameters) do args[#args + 1] = w.unpacked(p, i - 1) end
    out[#out + 1] = ("static tocha_tensor *call_init_%s(tocha_context *cx, const tocha_arg *a) {\n  return tocha_init_%s(%s);\n}\n"):format(
      m.name, m.name, table.concat(args, ", "))
    entries[#entries + 1] = ("  {%s, %s, %d, %d, call_init_%s},\n"):format(w.quote(m.name), id, #m.parameters, m.positional, m.name)
  end
  out[#out + 1] = "\nconst tocha_initializer tocha_initializers[] = {\n" .. table.concat(entries) .. "};\n"
  out[#out + 1] = ("const int tocha_initializer_count = %d;\n"):format(#entries)
  return table.concat(out)
end

--- Writes <tocha/modules.h>, module_functions.h and nn_table.c below output.
function write_modules.generate(runtime, output, writers)
  local list = write_modules.load(runtime .. "/nn/modules.lua")
  local text = source(writers, list)
  if not text:gsub("static const tocha_device no_device[^\n]*\n", ""):find "no_device" then
    text = text:gsub("static const tocha_device no_device[^\n]*\n\n", "")
  end
  writers.write(output .. "/include/tocha/modules.h", public_header(writers, list))
  writers.write(output .. "/module_functions.h", functions_header(list))
  writers.write(output .. "/nn_table.c", text)
end

return write_modules
