-- write_headers.lua: writes <tocha/ops/NAME.h>, the prototypes of each operator, and <tocha/ops.h>, all of them.
local types = require "c_types"
local c_name, return_type, full_parameters, short_form = types.c_name, types.return_type, types.full_parameters, types.short_form

local function prototypes(op, out)
  local params, args, differs = short_form(op)
  out[#out + 1] = ("\n/* %s%s\n * %s */\n"):format(op.name, op.signature, op.doc)
  local name = c_name(op)
  if differs then
    out[#out + 1] = ("TOCHA_API %stocha_%s_full(%s);\n"):format(return_type(op), name, full_parameters(op))
    out[#out + 1] = ("static inline %stocha_%s(%s) {\n  return tocha_%s_full(%s);\n}\n"):format(
      return_type(op), name, params, name, args)
  else
    out[#out + 1] = ("TOCHA_API %stocha_%s(%s);\n"):format(return_type(op), name, params)
    out[#out + 1] = ("#define tocha_%s_full tocha_%s\n"):format(name, name)
  end
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
  for _, name in ipairs(names) do kept[name .. ".h"] = true end
  local pipe = io.popen(("ls '%s'"):format(folder))
  for file in pipe:lines() do
    if not kept[file] then os.remove(folder .. "/" .. file) end
  end
  pipe:close()
end

return function(list, write, output, only_names)
  local names, of = headers(list)
  for _, name in ipairs(names) do
    local guard = "TOCHA_OPS_" .. name:upper() .. "_H"
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
]]):format(name, name, guard, guard, table.concat(of[name])))
  end
  table.sort(names)
  local out = {[[
/* ops.h: every operator of the lists (generated from runtime/ops; do not edit).
 *
 * tocha_NAME has the positional arguments, with operands as tensors; keyword-only arguments have their
 * defaults. If that omits something, tocha_NAME_full has all arguments. An optional number is a pointer, which may be
 * NULL. Results belong to the innermost scope; a list of them (tocha_tensors) has an array that the caller frees. NULL (or false) means
 * failure (context.h). */
#ifndef TOCHA_OPS_H
#define TOCHA_OPS_H

]]}
  for _, name in ipairs(names) do out[#out + 1] = ('#include "tocha/ops/%s.h"\n'):format(name) end
  out[#out + 1] = "\n#endif\n"
  write(output .. "/include/tocha/ops.h", table.concat(out))
  if not only_names then remove_others(output .. "/include/tocha/ops", names) end
end
