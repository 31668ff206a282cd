-- answers.lua: reads PyTorch's answers for the sample calls of every operator: spec/golden/ops/FAMILY.json, written by
-- spec/golden/ops.py. An operator's entry has
--   calls      for each sample call its results, gradients ...
--   dtypes     for the first sample call, by dtype, results or an error
--   autocast   for each device its class, and for each sample call the dtypes of the results
local samples = require "samples"
local json = require "torch"._part "tools.json"
local answers = {}

--- Returns the contents of a JSON file, or an empty table if it does not exist.
function answers.read(path)
  local file <close> = io.open(path)
  return file and assert(json.read(file:read "a")) or {}
end

local families, complete = {}, {}

-- Returns the answers of a folder for one family, by the operators' names. Without a file the table is empty.
local function of_family(family, folder)
  local path = ("spec/golden/%s/%s.json"):format(folder or "ops", family)
  families[path] = families[path] or answers.read(path)
  return families[path]
end

--- Returns the missing part of an operator's answers, and the remedy; nil if they are complete.
function answers.lacking(op)
  if samples.unasked(op) then return nil end
  local answer = of_family(samples.family(op))[op.name]
  local calls = #samples.calls(op)
  local what
  if not answer then what = "has no answer of PyTorch"
  elseif #answer.calls ~= calls then what = ("has %d sample calls, PyTorch answered %d"):format(calls, #answer.calls) end
  return what and ("%s %s: run python spec/golden/ops.py %s"):format(op.name, what, op.name)
end

--- Returns the entry of an operator, or nil if PyTorch was not asked about every call.
function answers.of(op)
  if complete[op] == nil then complete[op] = not answers.lacking(op) end
  return complete[op] and of_family(samples.family(op))[op.name] or nil
end

--- Returns the gradients of an operator at awkward inputs, by kind: for each sample call {first, graph, second}, or json.null
--- (spec/golden/awkward.py).
function answers.awkward(op) return of_family(samples.family(op), "awkward")[op.name] or {} end

--- Returns the names in the families of `list` that are no longer operators.
function answers.left_over(list)
  local known, seen, out = {}, {}, {}
  for _, op in ipairs(list) do known[op.name], seen[samples.family(op)] = true, true end
  for family in pairs(seen) do
    for name in pairs(of_family(family)) do
      if not known[name] then out[#out + 1] = name end
    end
  end
  return out
end

return answers
