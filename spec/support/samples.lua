-- samples.lua: the operators of the list with the sample arguments each entry declares, as data.
--
-- This file and golden/ops.py compute the same numbers from a formula in whole numbers, so that
-- Tocha and PyTorch get the same inputs:  unit(k, s) = (37 k + 11 s + 5) mod 101  for element k of
-- argument s (its place from 0; 7 for keywords; 3 more for each further tensor of a list).
--
-- A tensor in a sample is a table: {3, 4}. With u = unit(k, s) its elements are
--   (nothing)        u / 32 - 1.5625        integer dtypes: u % 7 - 3 (unsigned: u % 7)
--   positive = true  (u + 1) / 64                           u % 5 + 1
--   unit = true      (u + 13) / 128, in (0.1, 0.9)          u % 2
--   sorted = true    k / 8 - 1                              k
--   int = n          u % n, of int64
--   bool = true      u is odd, of bool
--   dominant = true  4 more on the diagonal of the last two dimensions
--   offset = n       n more;  dtype = "int32" another dtype; cpu = true: on the CPU whatever the device of the others
package.path = "runtime/list/?.lua;" .. package.path
local read = require "read"

local samples = {}

samples.dtypes = {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"}
local integers = {uint8 = true, int8 = true, int16 = true, int32 = true, int64 = true}

function samples.unit(k, s) return (37 * k + 11 * s + 5) % 101 end

--- Returns the dtype of a tensor argument if floating-point ones are to be `dtype`, or all `forced`.
function samples.dtype(spec, dtype, forced)
  return spec.dtype or forced or ({bool = "bool", int = "int64"})[spec.values] or dtype or "float32"
end

-- Numbers at which functions have corners, poles or a second branch.
local corners = {0.0, 1.0, -1.0, 0.5, -0.5, -0.0, 3.0, -3.0, 6.0, 2.0, 20.0, -2.0}

-- By kind, a function that returns element k of argument s of an awkward call, or nil for the sample's own number. u: unit(k,
-- s).
local awkward = {
  zeros = function() return 0.0 end,
  same = function() return 0.5 end,
  ties = function(spec, u) return spec.values == "float" and u % 3 - 1.0 or u % 3 / 2 end,
  corners = function(_, _, k, s) return corners[(k + 5 * s) % #corners + 1] end,
  denormal = function(_, u) return (u % 5 - 2) * 2.0 ^ -1070 end,
  nan = function(_, _, k, s) if (k + s) % 5 == 2 then return -(0 / 0) end end,
  inf = function(_, _, k, s)
    if (k + s) % 5 == 1 then return math.huge end
    if (k + s) % 5 == 4 then return -math.huge end
  end,
}

--- The kinds of awkward calls (samples.awkward). one: every size is 1; empty: the first size is 0.
samples.kinds = {"zeros", "same", "ties", "corners", "denormal", "nan", "inf", "one", "empty"}

--- Returns element k of argument s, in `dtype` (a name).
function samples.element(spec, k, s, dtype)
  local u, kind = samples.unit(k, s), spec.values
  local odd = spec.awkward and awkward[spec.awkward](spec, u, k, s)
  if odd then return odd end
  if dtype == "bool" then return u % 2 == 1 end
  local value
  if kind == "bool" then value = u % 2
  elseif kind == "int" then value = u % spec.limit
  elseif integers[dtype] then
    if kind == "positive" then value = u % 5 + 1
    elseif kind == "unit" then value = u % 2
    elseif kind == "sorted" then value = k
    else value = u % 7 - (dtype == "uint8" and 0 or 3) end
  elseif kind == "positive" then value = (u + 1) / 64
  elseif kind == "unit" then value = (u + 13) / 128
  elseif kind == "sorted" then value = k / 8 - 1
  else value = u / 32 - 1.5625 end
  local columns = spec.dominant and spec.shape[#spec.shape]
  if columns and k % columns == k // columns % spec.shape[#spec.shape - 1] then value = value + 4 end
  return value + (spec.offset or 0)
end

local function is_list_kind(kind) return kind == "ints" or kind == "floats" or kind == "dims" or kind == "size" end

local tensor_keys = {positive = true, bool = true, unit = true, sorted = true, int = true, offset = true, dtype = true, cpu = true, dominant = true}

-- Returns the specification of a tensor: {3, 4, positive = true} -> {kind = "tensor", shape = {3, 4}, values = "positive"}
local function tensor_spec(entry, name)
  local spec = {kind = "tensor", shape = {}, values = "float", name = name}
  for i, n in ipairs(entry) do spec.shape[i] = n end
  for key in pairs(entry) do
    if type(key) == "string" and not tensor_keys[key] then error(name .. ": unknown key in a sample: " .. key) end
  end
  for _, key in ipairs {"positive", "bool", "unit", "sorted"} do if entry[key] then spec.values = key end end
  if entry.int then spec.values, spec.limit = "int", entry.int end
  spec.dtype, spec.offset, spec.cpu, spec.dominant = entry.dtype, entry.offset, entry.cpu, entry.dominant
  return spec
end

local function argument(entry, parameter)
  local name = parameter.name
  if parameter.kind == "dtype" then return {kind = "dtype", value = entry, name = name} end
  if type(entry) ~= "table" then return {kind = "plain", value = entry, name = name} end
  if parameter.kind == "tensors" then
    local list = {kind = "tensors", items = {}, name = name}
    for i, e in ipairs(entry) do list.items[i] = tensor_spec(e, name) end
    return list
  elseif is_list_kind(parameter.kind) then
    return {kind = "list", value = entry, name = name}
  end
  return tensor_spec(entry, name)
end

--- Returns every sample call: {op = entry, positional = {...}, keywords = {name = ...}}
function samples.calls(op)
  local out = {}
  for _, sample in ipairs(op.samples or (op.sample and {op.sample}) or {}) do
    local call = {op = op, positional = {}, keywords = {}}
    for i, entry in ipairs(sample) do
      local parameter = op.parameters[i]
      -- numbers beyond a variadic parameter belong to it: zeros(2, 3)
      call.positional[i] = argument(entry, parameter or {kind = "int", name = op.parameters[#op.parameters].name})
    end
    for key, entry in pairs(sample) do
      if type(key) == "string" then
        local parameter
        for _, p in ipairs(op.parameters) do if p.name == key then parameter = p end end
        if not parameter then error(op.name .. ": no parameter " .. key .. " (in its sample)") end
        if parameter.kind == "tensors" and parameter.variadic then   -- meshgrid(x, y) has no keyword for them
          for _, e in ipairs(entry) do call.positional[#call.positional + 1] = tensor_spec(e, key) end
        else
          call.keywords[key] = argument(entry, parameter)
        end
      end
    end
    out[#out + 1] = call
  end
  return out
end

--- Returns the call with awkward inputs of a kind: other numbers in every floating-point tensor that gets a gradient, or other sizes
--- in all tensors. golden/awkward.py does the same.
function samples.awkward(op, call, kind)
  local wanted = samples.differentiable(op)
  local function changed(spec)
    if spec.kind == "tensors" then
      local items = {}
      for i, item in ipairs(spec.items) do items[i] = changed(item) end
      return {kind = "tensors", items = items, name = spec.name}
    elseif spec.kind ~= "tensor" then
      return spec
    end
    local copy = {}
    for key, value in pairs(spec) do copy[key] = value end
    if awkward[kind] then
      local float = spec.values ~= "int" and spec.values ~= "bool" and not spec.dtype
      if wanted[spec.name] and float then copy.awkward = kind end
      return copy
    end
    copy.shape = {}
    for i, n in ipairs(spec.shape) do copy.shape[i] = kind == "one" and 1 or i > 1 and n or 0 end
    copy.limit = spec.limit and (kind == "one" and 1 or spec.limit)
    return copy
  end
  local out = {op = op, positional = {}, keywords = {}}
  for i, spec in ipairs(call.positional) do out.positional[i] = changed(spec) end
  for key, spec in pairs(call.keywords) do out.keywords[key] = changed(spec) end
  return out
end

function samples.load() return read.load "runtime" end

--- Returns the operators of the list that a spec is to walk: all of them, those that OPS names ("add sub.scalar"; a name
--- without a dot stands for all overloads), or the part that OPS_PART names: 3/16 is the third of sixteen, every sixteenth entry.
function samples.chosen(list)
  local names, chosen = {}, {}
  for name in (os.getenv "OPS" or ""):gmatch "%S+" do names[name] = true end
  local part, parts = (os.getenv "OPS_PART" or "1/1"):match "^(%d+)/(%d+)$"
  assert(part, "OPS_PART is to be like 3/16")
  for i, op in ipairs(list) do
    local named = not next(names) or names[op.name] or names[op.name:match "^[^.]+"]
    if named and (i - part) % parts == 0 then chosen[#chosen + 1] = op end
  end
  return chosen
end

--- Returns the family of an operator: the file of spec/golden/ops that has PyTorch's answers for it.
function samples.family(op) return op.family end

--- Returns the reason why PyTorch is not asked about an operator, or nil. Every other operator must have an answer.
function samples.unasked(op)
  if op.inplace_of or op.alias_of then return "its plain form is" end
  if #op.forms == 0 then return "no script can call it" end
  if op.name == "unique_dim" then return "PyTorch hides it: see golden/ops/unique_dim" end
  if op.name == "unique_consecutive" then return "PyTorch hides it: see golden/ops/unique_in_a_row" end
  if op.name == "_tensordot" then return "the function around it, torch.tensordot, is" end
  if op.name:find "^_amp_foreach" then return "it writes a list and returns nothing: see golden/amp" end
end

-- Run as a program, prints everything as JSON, for golden/ops.py; "internal": the names of what no script can call.
local function json(value)
  if type(value) == "table" then
    local parts = {}
    if #value > 0 or next(value) == nil then
      for i, v in ipairs(value) do parts[i] = json(v) end
      return "[" .. table.concat(parts, ",") .. "]"
    end
    local keys = {}
    for k in pairs(value) do keys[#keys + 1] = k end
    table.sort(keys)
    for i, k in ipairs(keys) do parts[i] = ("%q:%s"):format(k, json(value[k])) end
    return "{" .. table.concat(parts, ",") .. "}"
  elseif type(value) == "string" then
    return '"' .. value:gsub('[\\"]', "\\%0"):gsub("\n", "\\n") .. '"'
  elseif value == math.huge then
    return "1e999"
  elseif value == -math.huge then
    return "-1e999"
  end
  return tostring(value)
end

--- Returns the parameters that get a gradient: {name = true}.
function samples.differentiable(op)
  local set = {}
  for name in pairs(op.grad or {}) do set[name] = true end
  for _, name in ipairs(op.differentiable or {}) do set[name] = true end
  if op.composite and not op.nondifferentiable then   -- made of operators: every floating-point one
    for _, p in ipairs(op.parameters) do
      if p.kind == "tensor" or p.kind == "operand" or p.kind == "tensors" then set[p.name] = true end
    end
  end
  for _, name in ipairs(op.constant or {}) do set[name] = nil end
  return set
end

-- Returns true if errors take a parameter for one that a call must give: also what an overload is named for (mode in div.mode).
local function must_be_given(op, p)
  local suffix = op.name:match "%.(.+)$"
  local named = suffix and (suffix:sub(1, #p.name) == p.name or p.name:match "_([^_]+)$" == suffix)
  return named or p.default == nil and (not p.optional or p.stated)
end

if arg and arg[0] and arg[0]:match "samples%.lua$" then
  local ops, internal, inplace = {}, arg[1] == "internal", {}
  local list = samples.load()
  for _, op in ipairs(list) do
    if op.inplace_of and not op.alias_of and not op.composite and (op.grad or op.backward) then
      local differentiable = {}
      for name in pairs(samples.differentiable(op)) do differentiable[#differentiable + 1] = name end
      inplace[op.inplace_of] = {name = op.name, lua_name = op.lua_name, forms = op.forms, differentiable = differentiable}
    end
  end
  for _, op in ipairs(list) do
    if internal and #op.forms == 0 and not op.inplace_of then
      local calls = {}
      for i, call in ipairs(samples.calls(op)) do calls[i] = {positional = call.positional} end
      ops[#ops + 1] = {
        name = op.name, family = samples.family(op), lua_name = op.lua_name, forms = {"aten"}, calls = calls,
        composite = false, inplace = inplace[op.name],
      }
    elseif not internal and not samples.unasked(op) then
      local differentiable, names, calls = {}, {}, {}
      for name in pairs(samples.differentiable(op)) do differentiable[#differentiable + 1] = name end
      for i, call in ipairs(samples.calls(op)) do
        calls[i] = {positional = call.positional, keywords = next(call.keywords) and call.keywords or nil}
      end
      local operands, kinds, required = {}, {}, 0
      for i, p in ipairs(op.parameters) do
        names[i], kinds[i] = p.name, p.python
        if must_be_given(op, p) then required = required + 1 end
        if p.kind == "operand" then operands[#operands + 1] = p.name end
      end
      ops[#ops + 1] = {name = op.name, family = samples.family(op), lua_name = op.lua_name, forms = op.forms, calls = calls,
        aliases = op.aliases or {}, parameters = names, kinds = kinds, differentiable = differentiable, composite = op.composite or false,
        operands = operands, required = required, unlisted = op.unlisted or false, list = op.list or false,
        elementwise = op.formula ~= nil, inplace = inplace[op.name], recorded = not op.composite and (op.grad or op.backward) ~= nil}
    end
  end
  print(json(ops))
end

return samples
