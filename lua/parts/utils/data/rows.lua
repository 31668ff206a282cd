-- rows.lua: batches of data sets that are tensors, or subsets of such: rows of the tensors at once, without samples.
local torch = ...
local support = torch._part "support"
local datasets = torch._part "utils.data.dataset"
local rows = {}

local function is_tensors(class)
  return class.getitem == datasets.TensorDataset.getitem and class.item == datasets.TensorDataset.item and not class.getitems
end

local function is_subset(class)
  return class.getitem == datasets.Subset.getitem and class.item == datasets.Dataset.item and not class.getitems
end

-- Returns a list of indices below n as a tensor, or nil if it contains anything else, which the general way reports.
local function index_tensor(indices, n)
  if #indices == 0 then return nil end
  local index = torch.tensor(indices, {device = "cpu"})
  if index.dtype ~= torch.int64 or index:min():item() < 0 or index:max():item() >= n then return nil end
  return index
end

--- Returns the tensors that a dataset takes its samples from and, for a Subset, the tensor of its indices in them. Returns nil if
-- samples must be fetched one by one.
function rows.source(dataset)
  local class = support.class_of(dataset)
  if class and is_tensors(class) then return dataset.tensors end
  if not class or not is_subset(class) then return nil end
  local tensors, inner = rows.source(dataset.dataset)
  local own = tensors and index_tensor(dataset.indices, #(inner or tensors[1]))
  if not own then return nil end
  return tensors, inner and inner:index_select(0, own) or own
end

--- Returns the rows that a list of indices selects from such tensors, or nil if the list contains anything but indices.
function rows.take_listed(tensors, own, indices)
  local index = support.is_plain(indices) and index_tensor(indices, #(own or tensors[1]))
  return index and rows.take(tensors, own and own:index_select(0, index) or index)
end

--- Returns the rows of each tensor that an index tensor selects.
function rows.take(tensors, index)
  local parts = {}
  for k, tensor in ipairs(tensors) do
    parts[k] = tensor:index_select(0, tensor.is_cuda and index:to(tensor.device) or index)
  end
  return parts
end

return rows
