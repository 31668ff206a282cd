-- write_headers.lua: writes <tocha/ops/NAME.h>, the prototypes of each operator, <tocha/ops.h>, all of them, and
-- <tocha/private.h>, those that no program is to call.
local types = require "c_types"

local function prototypes(op, out)
  local short, full = types.function_names(op)
  local result, short_parameters, _, differs = types.return_type(op), types.short_form(op)
  out[#out + 1] = ("\n/* %s%s\n * %s */\n"):format(op.name, op.signature, op.doc)
  out[#out + 1] = ("TOCHA_API %s%s(%s);\n"):format(result, short, short_parameters)
  out[#out + 1] = ("TOCHA_API %s%s(%s);\n"):format(result, full, differs and types.full_parameters(op) or short_parameters)
end

-- Groups operators by header, in order.
local function headers(list)
  local order, of = {}, {}
  for _, op in ipairs(list) do
    local out = of[op.header]
    if not out then
      out = {}
      of[op.header] = out
      order[#order + 1] = op.header
    end
    prototypes(op, out)
  end
  return order, of
end

-- Removes the headers of operators that are no longer in the lists.
local function remove_others(folder, names)
  local kept = {}
  for _, name in ipairs(names) do kept[folder .. "/" .. name .. ".h"] = true end
  local pipe = io.popen(("find '%s' -name '*.h'"):format(folder))
  for file in pipe:lines() do
    if not kept[file] then os.remove(file) end
  end
  pipe:close()
end

-- Returns a header that includes those of the operators.
local function collection(file, about, names)
  local guard, out = "TOCHA_" .. file:upper():gsub("%.", "_"), {}
  for i, name in ipairs(names) do out[i] = ('#include "tocha/ops/%s.h"\n'):format(name) end
  return ("/* %s: %s */\n#ifndef %s\n#define %s\n\n%s\n#endif\n"):format(file, about, guard, guard, table.concat(out))
end

local function check_names(list)
  local seen = {}
  for _, op in ipairs(list) do
    for _, name in ipairs {types.function_names(op)} do
      if seen[name] or name:find "__" then error(("%s: the name %s is taken, or reserved"):format(op.name, name)) end
      seen[name] = true
    end
  end
end

return function(list, write, output, only_names)
  check_names(list)
  local names, of = headers(list)
  local public, private = {}, {}
  for _, name in ipairs(names) do
    local guard = "TOCHA_OPS_" .. name:upper():gsub("/", "_") .. "_H"
    write(("%s/include/tocha/ops/%s.h"):format(output, name), ([[
/* %s.h: the operator %s (generated from its entry in runtime/ops; do not edit; the rules: ops.h). */
#ifndef %s
#define %s

#include "tocha/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif
%s
#ifdef __cplusplus
}
#endif
#endif
]]):format(name:match "[^/]+$", name:match "[^/]+$", guard, guard, table.concat(of[name])))
    table.insert(name:find "^private/" and private or public, name)
  end
  table.sort(public)
  table.sort(private)
  write(output .. "/include/tocha/ops.h", collection("ops.h", [[
every operator of the lists (generated from runtime/ops; do not edit).
 *
 * tocha_NAME has the positional arguments, with operands as tensors; keyword-only arguments have their
 * defaults. tocha_NAME_full has all arguments (tocha_NAME_full_ for an in-place form, tocha_NAME_); both functions
 * exist even if they are the same. An optional number is a pointer, which may be NULL. Results belong to the innermost
 * scope; a list of them (tocha_tensors) has an array that the caller frees. NULL (or false) means failure (context.h).]], public))
  write(output .. "/include/tocha/private.h", collection("private.h", [[
operators that gradients and other operators are made of (generated from runtime/ops; do
 * not edit). The library and its bindings call them. Any release may change or remove them, so a program must not.]], private))
  if not only_names then remove_others(output .. "/include/tocha/ops", names) end
end
