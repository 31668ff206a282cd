-- write_functions.lua: reads bindings/functions.lua (plain data: the functions and methods of torch that are not
-- operators) and writes their parameters as C tables. Called by generate.lua, which passes its writers.
local write_functions = {}
local signature, read = require "signature", require "read"

local known = {}
for key in ("also c python as constructor hint keyword_hint uninitialized doc details"):gmatch "%S+" do known[key] = true end

local function snake(name) return (name:gsub("(%l)(%u)", "%1_%2"):gsub("[.:]", "_"):lower()) end

-- Reads an entry, and derives fields from its name: "torch.nn.utils.clip_grad_norm_", "Module:zero_grad".
local function parse(name, entry)
  local space, separator, last = name:match "^(.-)([.:])([%w_]+)$"
  if not space then error("functions: '" .. name .. "' is neither NAMESPACE.NAME nor CLASS:NAME") end
  local f = {name = name, space = space, lua_name = last, method = separator == ":", signature = entry[1]}
  for key, value in pairs(entry) do
    if key ~= 1 then
      if not known[key] then error(name .. ": unknown field '" .. tostring(key) .. "'") end
      f[key] = value
    end
  end
  if not f.doc then error(name .. ": no doc") end
  -- in PyTorch torch's own functions and tensor methods are C++, all others Python
  if f.python == nil then f.python = space ~= "torch" and space ~= "Tensor" end
  f.as = f.as or f.constructor and last .. "." .. f.constructor or f.method and f.python and space .. "." .. last or last
  f.c = f.c or "torch_" .. snake(name:gsub("^torch%.", ""))
  local text = f.signature:match "^%((.*)%)%s*%->" or f.signature:match "^%((.*)%)$"
  if not text then error(name .. ": cannot read signature " .. f.signature) end
  text = text:gsub(",?%s*%*%*[%w_]+", function() f.any_keyword = true; return "" end)
  f.parameters, f.positional = signature.parameters(text, name)
  f.taken = f.method and 1 or 0
  f.alone = f.method
  for i, p in ipairs(f.parameters) do
    if p.taken then f.taken = i end
    if i > 1 and not (p.optional or p.default) then f.alone = false end
  end
  local last_parameter = f.parameters[#f.parameters]
  if last_parameter and last_parameter.name == "block" then   -- accepts a function in last place, even after keywords
    f.block = true
    f.parameters[#f.parameters] = nil
    f.positional = math.min(f.positional, #f.parameters)
  end
  return f
end

--- Returns the functions of the file, in order.
function write_functions.load(path)
  local out, seen = {}, {}
  local function def(name)
    return function(entry)
      if seen[name] then error("functions: '" .. name .. "' declared twice") end
      seen[name] = true
      out[#out + 1] = parse(name, entry)
    end
  end
  assert(loadfile(path, "t", {def = def}))()
  return out
end

local function header(list)
  local maximum, lines, seen = 0, {}, {}
  for _, f in ipairs(list) do
    maximum = math.max(maximum, #f.parameters + 1)
    if not seen[f.c] then
      seen[f.c] = true
      lines[#lines + 1] = ("int %s(lua_State *L, const tocha_arg *args);\n"):format(f.c)
    end
  end
  return ([[
/* function_table.h: the functions that the C files of the binding must define (generated from bindings/functions.lua; do not
 * edit). Arguments are in the order of the signature. A block, if one was given, is at stack index 1. */
#ifndef TOCHA_FUNCTION_TABLE_H
#define TOCHA_FUNCTION_TABLE_H

#include "arguments/functions.h"

enum { MAX_FUNCTION_PARAMETERS = %d };

%s
#endif
]]):format(maximum, table.concat(lines))
end

local function row(w, f, space, parameters)
  local hint = f.hint and w.quote(f.hint) or "NULL"
  return ([[
  {.space = %s, .name = %s, .call = %s, .block = %s, .alone = %s, .uninitialized = %s,
   .text = %s,
   .doc = %s,
   .signature = {.function = %s, .parameters = %s, .count = %d, .positional = %d, .self_count = %d, .taken = %d, .constructor = %s,
                 .any_keyword = %s, .python = %s, .aliases = %s, .spread = true, .hint = %s, .keyword_hint = %s}},
]]):format(w.quote(space), w.quote(f.lua_name), f.c, tostring(f.block or false), tostring(f.alone), tostring(f.uninitialized or false), w.quote(f.signature), w.quote(read.text_of(f)), w.quote(f.as),
    parameters, #f.parameters, f.positional, f.method and space == f.space and 1 or 0, f.taken,
    tostring(f.constructor ~= nil), tostring(f.any_keyword or false), tostring(f.python), tostring(not f.python), hint, f.keyword_hint and w.quote(f.keyword_hint) or hint)
end

local function source(w, list)
  local out, rows = {[[
/* function_table.c: the functions of torch that are not operators, as data (generated from bindings/functions.lua; do not
 * edit). */
#include "function_table.h"

]]}, {}
  for _, f in ipairs(list) do
    local parameters = "NULL"
    if #f.parameters > 0 then
      parameters = "parameters_" .. snake(f.name)
      out[#out + 1] = ("static const tocha_parameter %s[] = {\n"):format(parameters)
      for _, p in ipairs(f.parameters) do
        if p.kind == "any" and p.default then error(f.name .. ": a parameter that takes anything has no default") end
        out[#out + 1] = w.parameter_row(p)
      end
      out[#out + 1] = "};\n"
    end
    rows[#rows + 1] = row(w, f, f.space, parameters)
    if f.also then rows[#rows + 1] = row(w, f, f.also, parameters) end
  end
  return table.concat(out) .. "\nconst function_entry function_list[] = {\n" .. table.concat(rows) ..
    "  {.space = NULL}};\n"
end

--- Writes function_table.h and function_table.c below output.
function write_functions.generate(path, output, writers)
  local list = write_functions.load(path)
  writers.write(output .. "/function_table.h", header(list))
  writers.write(output .. "/function_table.c", source(writers, list))
end

return write_functions
