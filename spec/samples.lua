-- samples.lua: the operators of the list with the sample arguments each entry declares, as data.
--
-- The same numbers are made here and in golden/ops.py, from a formula in whole numbers, so that
-- Tocha and PyTorch see the same inputs:  unit(k, s) = (37 k + 11 s + 5) mod 101  for element k of
-- argument s.
package.path = "runtime/?.lua;" .. package.path
local oplist = require "oplist"

local samples = {}

function samples.unit(k, s) return (37 * k + 11 * s + 5) % 101 end

local function is_list_kind(kind) return kind == "ints" or kind == "dims" or kind == "size" end

-- {3, 4, positive = true} -> {kind = "tensor", shape = {3, 4}, values = "positive"}
local function tensor_spec(entry)
  local spec = {kind = "tensor", shape = {}, values = "float"}
  for i, n in ipairs(entry) do spec.shape[i] = n end
  for _, key in ipairs{"positive", "bool", "unit", "sorted"} do if entry[key] then spec.values = key end end
  if entry.int then spec.values, spec.limit = "int", entry.int end
  if entry.dtype then spec.dtype = entry.dtype end
  if entry.low then spec.low = entry.low end
  return spec
end

local function argument(entry, parameter)
  if type(entry) ~= "table" then return {kind = "plain", value = entry} end
  if parameter.kind == "tensors" then
    local list = {kind = "tensors"}
    for i, e in ipairs(entry) do list[i] = tensor_spec(e) end
    return list
  elseif is_list_kind(parameter.kind) then
    return {kind = "list", value = entry}
  end
  return tensor_spec(entry)
end

--- Every sample call: {op = entry, positional = {...}, keywords = {name = ...}}
function samples.calls(op)
  local out = {}
  for _, sample in ipairs(op.samples or (op.sample and {op.sample}) or {}) do
    local call = {op = op, positional = {}, keywords = {}}
    for i, entry in ipairs(sample) do
      local parameter = op.parameters[i]
      -- numbers beyond a variadic parameter belong to it: zeros(2, 3)
      call.positional[i] = argument(entry, parameter or {kind = "int"})
    end
    for key, entry in pairs(sample) do
      if type(key) == "string" then
        local parameter = {kind = "plain"}
        for _, p in ipairs(op.parameters) do if p.name == key then parameter = p end end
        call.keywords[key] = argument(entry, parameter)
      end
    end
    out[#out + 1] = call
  end
  return out
end

function samples.load() return oplist.load("runtime/ops.lua") end

-- As a program: prints everything as JSON, for golden/ops.py.
local function json(value)
  if type(value) == "table" then
    local parts = {}
    if #value > 0 or next(value) == nil then
      for i, v in ipairs(value) do parts[i] = json(v) end
      if next(value) == nil or not value.kind then return "[" .. table.concat(parts, ",") .. "]" end
    end
    local keys = {}
    for k in pairs(value) do keys[#keys + 1] = tostring(k) end
    table.sort(keys)
    parts = {}
    for i, k in ipairs(keys) do parts[i] = ("%q:%s"):format(k, json(value[k] == nil and value[tonumber(k)] or value[k])) end
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

if arg and arg[0] and arg[0]:match "samples%.lua$" then
  local ops = {}
  for _, op in ipairs(samples.load()) do
    if not op.inplace_of then
      local differentiable = {}
      for _, p in ipairs(op.parameters) do
        if op.grad and op.grad[p.name] then differentiable[#differentiable + 1] = p.name end
      end
      for _, name in ipairs(op.differentiable or {}) do differentiable[#differentiable + 1] = name end
      local calls = {}
      for i, call in ipairs(samples.calls(op)) do
        calls[i] = {positional = call.positional, keywords = next(call.keywords) and call.keywords or nil}
        calls[i].kind = "call"
      end
      local names = {}
      for i, p in ipairs(op.parameters) do names[i] = p.name end
      ops[#ops + 1] = {kind = "op", name = op.name, lua_name = op.lua_name, forms = op.forms, calls = calls,
        parameters = names, differentiable = differentiable}
    end
  end
  print(json(ops))
end

return samples
