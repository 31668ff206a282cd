-- utils/data/fetch.lua: fetches batches from a dataset, for the loader and for its workers. A task has dataset, collate_fn,
-- batch_sampler (true: samples come in batches), drop_last, stream.
local torch = ...
local support = torch._part "support"
local duck, rows, collate = torch._part "utils.data.duck", torch._part "utils.data.rows", torch._part "utils.data.collate"

local fetch = {}

-- Returns a batch of several parts as several values. A single table of parts counts as several parts.
local function spread(...)
  local first = ...
  if select("#", ...) == 1 and support.is_plain(first) and #first > 0 and not support.key_kinds(first) then
    return table.unpack(first)
  end
  return ...
end

-- Returns the batch of these samples. Samples of one part (numbers, texts) make one value, even if it is a table.
local function collated(task, samples)
  if task.collate_fn == collate.default_collate and not support.is_plain(samples[1]) then
    return task.collate_fn(samples)
  end
  return spread(task.collate_fn(samples))
end

local function samples_at(dataset, indices)
  if support.class_of(dataset) and dataset.getitems then return dataset:getitems(indices) end
  local samples = {}
  for k, i in ipairs(indices) do samples[k] = duck.item(dataset, i) end
  return samples
end

--- Returns the function that gives the batch of a list of indices (or the sample of an index).
function fetch.by_index(task)
  local dataset = task.dataset
  if not task.batch_sampler then
    return function(index) return spread(task.collate_fn(duck.item(dataset, index))) end
  end
  local tensors, own
  if task.collate_fn == collate.default_collate then tensors, own = rows.source(dataset) end
  return function(indices)
    local batch = tensors and rows.take_listed(tensors, own, indices)
    if batch then return table.unpack(batch) end
    if torch.is_tensor(indices) then indices = indices:tolist() end
    return collated(task, samples_at(dataset, indices))
  end
end

-- Returns the iterator `following`, which is no longer called after its first nil.
local function until_nil(following)
  local ended = false
  local function pass(first, ...)
    ended = first == nil
    return first, ...
  end
  return function()
    if ended then return nil end
    return pass(following())
  end
end
fetch.until_nil = until_nil

--- Returns the function that gives the next batch of a stream, of as many samples as there are indices.
function fetch.from_stream(task)
  local following = until_nil(support.values(task.dataset))
  return function(indices)
    if not task.batch_sampler then
      local sample = duck.sample_of(following())
      if sample == nil then return nil end
      return spread(task.collate_fn(sample))
    end
    local samples = {}
    for k = 1, #indices do
      local sample = duck.sample_of(following())
      if sample == nil then break end
      samples[k] = sample
    end
    if #samples == 0 or (task.drop_last and #samples < #indices) then return nil end
    return collated(task, samples)
  end
end

function fetch.of(task) return (task.stream and fetch.from_stream or fetch.by_index)(task) end

return fetch
