-- bits.lua: the masks of an operator's parameters by their kinds.

-- Returns tocha_parameter_bits in C (dispatch/call.h), which tocha_bits_of_parameters computes for other operators.
return function(op)
  local numbers = {ints = true, floats = true, dims = true, size = true}
  local b = {tensors = 0, lists = 0, numbers = 0, strings = 0, needed = 0}
  local function set(field, i) b[field] = b[field] | 1 << (i - 1) end
  for i, p in ipairs(op.parameters) do
    local kind = p.kind
    if kind == "tensor" or kind == "operand" then set("tensors", i) end
    if kind == "tensors" then set("lists", i) end
    if numbers[kind] then set("numbers", i) end
    if kind == "string" then set("strings", i) end
    if numbers[kind] or kind == "string" or kind == "tensors" or kind == "dtype" or kind == "tensor" and not p.optional then set("needed", i) end
  end
  return ("{%d, %d, %d, %d, %d}"):format(b.tensors, b.lists, b.numbers, b.strings, b.needed)
end
