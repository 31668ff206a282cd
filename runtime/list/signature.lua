-- signature.lua: reads signatures in PyTorch's notation, "(Tensor self, float beta=1, *, dtype? dtype) -> Tensor".
-- The lists of operators, modules and functions use it (notation and kinds: read.lua), and so do the arguments of
-- torch._define.
local signature = {}

local kinds = {
  Tensor = "tensor", Operand = "operand", Scalar = "scalar", int = "int", dim = "dim", index = "index",
  float = "float", Number = "float", bool = "bool", string = "string", dtype = "dtype", device = "device",
  Generator = "generator", table = "any", memory_format = "string", Module = "module",
}
local list_of = {int = "ints", padding = "ints", float = "floats", dim = "dims", size = "size", Tensor = "tensors"}
local python = {
  tensor = "Tensor", operand = "Tensor", scalar = "Number", int = "int", dim = "int", index = "int",
  float = "float", bool = "bool", string = "str", dtype = "torch.dtype", device = "torch.device",
  generator = "torch.Generator", ints = "tuple of ints", dims = "tuple of ints", size = "tuple of ints",
  floats = "tuple of floats", tensors = "tuple of Tensors", any = "object", module = "Module",
}

-- Parses "name", "name?", "name=default", "name...". A parameter without a kind accepts any value.
local function parse_bare(text)
  local name, mark, default = text:match "^([%w_]+)([?.]*)%s*=?%s*(.-)$"
  if not name or mark ~= "" and mark ~= "?" and mark ~= "..." then return nil end
  return {name = name, kind = "any", optional = mark ~= "", variadic = mark == "...", default = default ~= "" and default or nil}
end

local function parse_kind(text)
  local kind, name, default = text:match "^(%S+)%s+([%w_]+)%s*=?%s*(.-)$"
  if not kind then return nil end
  local p = {name = name, optional = false, variadic = false}
  if default ~= "" then p.default = default end
  kind = kind:gsub("!$", function() p.stated = true; return "" end)
  kind = kind:gsub("%?$", function() p.optional = true; return "" end)
  kind = kind:gsub("^(%a+)%?(%[%d?%])$", function(element, list) p.holes = true; return element .. list end) -- elements may be absent
  kind = kind:gsub("%[%d%]$", function() p.single = true; return "[]" end)
  local element = kind:match "^(%a+)%[%]$" or kind:match "^(%a+)%.%.%.$"
  if element then
    p.variadic = kind:find("...", 1, true) ~= nil
    p.kind = list_of[element]
    p.words = element == "padding"   -- accepts 'same' and 'valid'
  else
    p.kind = kinds[kind]
  end
  p.taken = kind == "table"
  if kind == "memory_format" then p.python = "torch.memory_format" end
  if kind == "Number" then p.python = kind end
  return p
end

--- Returns the parameters of a list such as "Tensor self, *, int k=1": p.name, kind, optional, stated, variadic,
-- keyword_only, default (as text), python (the kind in PyTorch's messages), taken (a `table` that does not contain
-- keywords). Also returns how many of them may be positional. where: for errors.
function signature.parameters(text, where)
  local out, positional = {}, nil
  text = text:gsub("%b[]", function(list) return (list:gsub(",", ";")) end)   -- protects the commas of a default with several numbers
  for part in text:gmatch "[^,]+" do
    part = part:match "^%s*(.-)%s*$":gsub(";", ",")
    if part == "*" then
      positional = #out
    else
      local bare = not part:find "^[^=%s]+%s+[^=%s]"
      local p = bare and parse_bare(part) or not bare and parse_kind(part)
      if not p or not p.kind then error(where .. ": cannot read parameter '" .. part .. "'") end
      if p.optional and p.default == "nil" then p.default = nil end
      p.keyword_only = positional ~= nil
      p.python = p.python or python[p.kind]
      out[#out + 1] = p
    end
  end
  return out, positional or #out
end

--- Reads op.signature and sets op.parameters, op.positional, op.results (their names), op.last_optional (a call may
-- have no last result: `Tensor? indices`), and op.list or op.value.
function signature.parse(op)
  local parameters, results = op.signature:match "^%((.*)%)%s*%->%s*(.+)$"
  if not parameters then error(op.name .. ": cannot read signature " .. op.signature) end
  op.parameters, op.positional = signature.parameters(parameters, op.name)
  op.notation = op.signature
  op.signature = op.signature:gsub("%?!", "?"):gsub("%f[%w]Number ", "float ")   -- for readers
  op.results = {}
  if results == "Tensor" then
    op.results[1] = "result"
  elseif results == "Tensor[]" then
    op.list = true
  elseif results:match "^%(" then
    for mark, name in results:gmatch "Tensor(%??)%s+([%w_]+)" do
      op.results[#op.results + 1], op.last_optional = name, mark == "?"
    end
  else
    op.value = results              -- "bool", "int", "Scalar": not a tensor
  end
end

return signature
