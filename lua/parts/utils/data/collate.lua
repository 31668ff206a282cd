-- utils/data/collate.lua: combines samples into a batch, by PyTorch's rules.
local torch = ...
local support = torch._part "support"
local fail = support.fail

local collate = {}
local default_collate

local function has_string_keys(value)
  return (support.key_kinds(value)) and #value == 0
end

local function collate_mapping(batch)
  local result = {}
  for key in pairs(batch[1]) do
    local column = {}
    for k, sample in ipairs(batch) do
      if sample[key] == nil then fail("KeyError", "'%s'", key) end
      column[k] = sample[key]
    end
    result[key] = default_collate(column)
  end
  return result
end

local function collate_sequence(batch)
  local n, result = #batch[1], {}
  for _, sample in ipairs(batch) do
    if #sample ~= n then fail("RuntimeError", "each element in list of batch should be of equal size") end
  end
  for i = 1, n do
    local column = {}
    for k, sample in ipairs(batch) do column[k] = sample[i] end
    result[i] = default_collate(column)
  end
  return result
end

local function tensors_of(arrays)
  local tensors = {}
  for k, array in ipairs(arrays) do tensors[k] = torch.from_numpy(array) end
  return tensors
end

--- Combines a list of samples into a batch: tensors are stacked, numbers become tensors, strings stay a list, and tables are
-- combined recursively.
function default_collate(batch)
  local first = batch[1]
  if first == nil then fail("IndexError", "list index out of range") end
  if torch.is_tensor(first) then return torch.stack(batch, 0) end
  local kind = type(first)
  if math.type(first) == "float" then return torch.tensor(batch, {dtype = torch.float64}) end
  if kind == "number" or kind == "boolean" then return torch.tensor(batch) end
  if kind == "string" then return batch end
  if support.is_array(first) then return torch.stack(tensors_of(batch), 0) end
  if support.is_plain(first) then
    return has_string_keys(first) and collate_mapping(batch) or collate_sequence(batch)
  end
  return fail("TypeError", "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
    .. "found %s", support.python_class(first))
end
collate.default_collate = default_collate

--- Converts a sample that is not to be part of a batch: arrays become tensors, other values stay.
function collate.default_convert(sample)
  if support.is_array(sample) then return torch.from_numpy(sample) end
  if not support.is_plain(sample) then return sample end
  local result = {}
  for key, value in pairs(sample) do result[key] = collate.default_convert(value) end
  return result
end

return collate
