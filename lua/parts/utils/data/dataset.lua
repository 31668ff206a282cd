-- utils/data/dataset.lua: the datasets of torch.utils.data. Items count from 0. dataset[i] is one sample, a table {x, y} if it
-- has several parts.
local torch = ...
local support = torch._part "support"
local fail, define = support.fail, torch._define

local MODULE = "torch.utils.data.dataset"
local datasets = {}

local duck = torch._part "utils.data.duck"
local sample_of, list_item, item = duck.sample_of, duck.list_item, duck.item

-- --- classes to derive from ---------------------------------------------------------------------------

--- The base class of datasets: `local Set = data.Dataset:extend "Set"` with init(...), getitem(i), which returns the parts of
-- sample i (from 0), and __len().
local Dataset = support.class("Dataset", nil, MODULE)
datasets.Dataset = Dataset
function Dataset.getitem(self)
  local hint = self and self.__getitem and "it is called getitem here: function Set:getitem(i) ... end"
    or "function Set:getitem(i) return input, target end   -- i counts from 0"
  return torch._raise("NotImplementedError", "Subclasses of Dataset should implement __getitem__.", hint)
end
function Dataset.item(self, i) return sample_of(self:getitem(i)) end
function Dataset.__add(a, b) return datasets.ConcatDataset{a, b} end

--- A stream: iter() returns a function that gives the parts of sample after sample, and nil at the end.
local IterableDataset = support.class("IterableDataset", Dataset, MODULE)
datasets.IterableDataset = IterableDataset
IterableDataset.item = false
function IterableDataset.iter() return fail("NotImplementedError", "An IterableDataset defines iter()") end
function IterableDataset.start(self) return self:iter() end
function IterableDataset.__add(a, b) return datasets.ChainDataset{a, b} end

-- --- made of tensors ----------------------------------------------------------------------------------

local TensorDataset = support.class("TensorDataset", Dataset, MODULE)
datasets.TensorDataset = TensorDataset
function TensorDataset:init(...)
  local tensors = {...}
  for i, tensor in ipairs(tensors) do
    if not torch.is_tensor(tensor) then
      fail("AttributeError", "'%s' object has no attribute 'size'", torch._python_type(tensor))
    end
    if tensor:size(0) ~= tensors[1]:size(0) then fail("RuntimeError", "Size mismatch between tensors") end
    tensors[i] = tensor
  end
  if #tensors == 0 then fail("IndexError", "tuple index out of range") end
  self.tensors = tensors
end
function TensorDataset:__len() return self.tensors[1]:size(0) end
function TensorDataset:getitem(i)
  local parts = {}
  for k, tensor in ipairs(self.tensors) do parts[k] = tensor[i] end
  return table.unpack(parts)
end
function TensorDataset.item(self, i)
  local sample = {self:getitem(i)}
  if #sample == 1 and support.is_plain(sample[1]) then return sample[1] end
  return sample
end

-- --- made of datasets -----------------------------------------------------------------------------------

local Subset = support.class("Subset", Dataset, MODULE)
datasets.Subset = Subset
local read_subset = define "Subset.__init__(dataset, indices)"
function Subset:init(...)
  local a = read_subset(...)
  self.dataset, self.indices = a.dataset, torch.is_tensor(a.indices) and a.indices:tolist() or a.indices
end
function Subset:__len() return #self.indices end
function Subset:getitem(i) return item(self.dataset, list_item(self.indices, i)) end

local ConcatDataset = support.class("ConcatDataset", Dataset, MODULE)
datasets.ConcatDataset = ConcatDataset
local read_concat = define "ConcatDataset.__init__(datasets)"
function ConcatDataset:init(...)
  self.datasets = read_concat(...).datasets
  if #self.datasets == 0 then fail("RuntimeError", "datasets should not be an empty iterable") end
  self.cumulative_sizes = {}
  local total = 0
  for k, dataset in ipairs(self.datasets) do
    if support.class_of(dataset) and dataset:isinstance(IterableDataset) then
      fail("RuntimeError", "ConcatDataset does not support IterableDataset")
    end
    total = total + duck.length(dataset)
    self.cumulative_sizes[k] = total
  end
end
function ConcatDataset:__len() return self.cumulative_sizes[#self.cumulative_sizes] end
function ConcatDataset:getitem(i)
  local n = #self
  if i < 0 then
    if -i > n then fail("ValueError", "absolute value of index should not exceed dataset length") end
    i = i + n
  end
  if i >= n then fail("IndexError", "list index out of range") end
  local sizes, low, high = self.cumulative_sizes, 1, #self.cumulative_sizes
  while low < high do -- finds the first dataset that ends after i
    local middle = (low + high) // 2
    if sizes[middle] > i then high = middle else low = middle + 1 end
  end
  return item(self.datasets[low], i - (sizes[low - 1] or 0))
end

--- Datasets side by side: StackDataset(a, b) gives {a[i], b[i]}, StackDataset{x = a, y = b} gives {x = a[i], y = b[i]}.
local StackDataset = support.class("StackDataset", Dataset, MODULE)
datasets.StackDataset = StackDataset
function StackDataset:init(...)
  local positional, n, named = torch._split(...)
  if n > 0 and next(named) ~= nil then
    fail("ValueError", "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, "
      .. "but both types are given.")
  end
  self.datasets = n > 0 and positional or named
  for _, dataset in pairs(self.datasets) do
    self.length = self.length or duck.length(dataset)
    if duck.length(dataset) ~= self.length then fail("ValueError", "Size mismatch between datasets") end
  end
  if not self.length then fail("ValueError", "At least one dataset should be passed") end
end
function StackDataset:__len() return self.length end
function StackDataset:getitem(i)
  local sample = {}
  for key, dataset in pairs(self.datasets) do sample[key] = item(dataset, i) end
  return sample
end

local ChainDataset = support.class("ChainDataset", IterableDataset, MODULE)
datasets.ChainDataset = ChainDataset
local read_chain = define "ChainDataset.__init__(datasets)"
function ChainDataset:init(...)
  self.datasets = read_chain(...).datasets
  for _, dataset in ipairs(self.datasets) do
    if not (support.class_of(dataset) and dataset:isinstance(IterableDataset)) then
      fail("RuntimeError", "ChainDataset only supports IterableDataset")
    end
  end
end
function ChainDataset:__len()
  local total = 0
  for _, dataset in ipairs(self.datasets) do total = total + #dataset end
  return total
end
function ChainDataset:iter()
  local k, following = 0, nil
  local function step(first, ...)
    if first ~= nil then return first, ... end
    k = k + 1
    if k > #self.datasets then return nil end
    following = self.datasets[k]:iter()
    return step(following())
  end
  return function()
    if not following then return step(nil) end
    return step(following())
  end
end

-- --- splitting ------------------------------------------------------------------------------------------

local function lengths_of_fractions(n, fractions)
  local lengths, rest = {}, n
  for k, fraction in ipairs(fractions) do
    if fraction < 0 or fraction > 1 then
      fail("ValueError", "Fraction at index %d is not between 0 and 1", k - 1)
    end
    lengths[k] = math.floor(n * fraction)
    rest = rest - lengths[k]
  end
  for k = 0, rest - 1 do lengths[k % #lengths + 1] = lengths[k % #lengths + 1] + 1 end
  for k, length in ipairs(lengths) do
    if length == 0 then
      torch._warn(("Length of split at index %d is 0. This might result in an empty dataset."):format(k - 1))
    end
  end
  return lengths
end

local read_split = define "random_split(dataset, lengths, generator?)"

--- random_split(dataset, lengths or fractions, {generator}) returns one random subset for each length.
function datasets.random_split(...)
  local a = read_split(...)
  local n, lengths = duck.length(a.dataset), a.lengths
  support.check_numbers("random_split", "lengths", lengths)
  local total = support.sum(lengths)
  if total <= 1 and 1 - total <= 1e-9 then lengths = lengths_of_fractions(n, lengths) end
  if support.sum(lengths) ~= n then
    fail("ValueError", "Sum of input lengths does not equal the length of the input dataset!")
  end
  local order, subsets, offset = torch.randperm(n, {generator = a.generator, device = "cpu"}):tolist(), {}, 0
  for k, length in ipairs(lengths) do
    subsets[k] = Subset{dataset = a.dataset, indices = table.move(order, offset + 1, offset + length, 1, {})}   -- {} alone would be keywords
    offset = offset + length
  end
  return table.unpack(subsets)
end

return datasets
