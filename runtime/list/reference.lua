-- reference.lua: writes the operator reference, a page generated from the lists.
--
-- lua5.4 runtime/list/reference.lua > docs/operators.md
package.path = "runtime/list/?.lua;" .. package.path
local list = require "read".load "runtime"

local function forms(op)
  local out = {}
  for _, form in ipairs(op.forms) do
    out[#out + 1] = form == "method" and "`x:" .. op.lua_name .. "`" or ("`%s.%s`"):format(form, op.lua_name)
  end
  return table.concat(out, ", ")
end

print "# Operators\n"
print "Made from the lists in `runtime/ops` by `lua5.4 runtime/list/reference.lua > docs/operators.md`. Every operator runs on `cpu`, `cuda` and"
print "(shapes only) on `meta`, for every dtype its PyTorch counterpart takes. `grad`: has a gradient; `foo_`: has an"
print "in-place form; `out`: takes `out=`.\n"
print "| operator | signature | | called as | what |"
print "|---|---|---|---|---|"
local sorted, inplace = {}, {}
for _, op in ipairs(list) do
  if op.inplace_of then inplace[op.inplace_of] = op.lua_name
  elseif #op.forms > 0 and not op.unlisted then sorted[#sorted + 1] = op end
end
table.sort(sorted, function(a, b) return a.name < b.name end)
for _, op in ipairs(sorted) do
  local marks = {}
  if op.grad or op.backward or op.composite then marks[#marks + 1] = "grad" end
  if inplace[op.name] then marks[#marks + 1] = "`" .. inplace[op.name] .. "`" end
  if op.out then marks[#marks + 1] = "out" end
  print(("| %s | `%s` | %s | %s | %s |"):format(op.lua_name, (op.signature:gsub("|", "\\|")), table.concat(marks, " "), forms(op),
    (op.doc:gsub("|", "\\|"))))
end
