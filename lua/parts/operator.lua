-- operator.lua: the signature of an operator that C defines (tocha_lua_define). Returns its parameters, how many of them may be
-- positional, and the number of results.
local torch = ...
local signature = torch._part "signature"

return function(name, text)
  local op = {name = name, signature = text}
  signature.parse(op)
  if op.list or op.value then error(name .. ": an operator of C returns tensors, not " .. text:match "%->%s*(.+)$", 0) end
  return op.parameters, op.positional, #op.results
end
