-- utils/data/sampler.lua: the samplers of torch.utils.data. A sampler is an iterator over indices from 0: `for i in sampler do`.
-- They draw the same numbers as PyTorch at the same times: none before the first index.
local torch = ...
local support = torch._part "support"
local fail, python, define = support.fail, support.python, torch._define
local length, draw_seed = torch._part "utils.data.duck".length, torch._part "utils.data.draw_seed"

local MODULE = "torch.utils.data.sampler"
local samplers = {}

--- The base class of samplers: define iter(), which returns a function that gives index after index, and __len().
local Sampler = support.class("Sampler", nil, MODULE)
samplers.Sampler = Sampler
function Sampler.iter() return fail("NotImplementedError", "Samplers define iter(), an iterator over indices") end
function Sampler.start(self) return self:iter() end

--- Returns a function that gives the items of the list that make() returns. make() is called with the first item.
local function lazily(make)
  local list, i
  return function()
    if not list then list, i = make(), 0 end
    i = i + 1
    return list[i]
  end
end

local function positive(value) return math.type(value) == "integer" and value > 0 end

local function check_samples(num_samples)
  if not positive(num_samples) then
    fail("ValueError", "num_samples should be a positive integer value, but got num_samples=%s", python(num_samples))
  end
end

-- --- in order -----------------------------------------------------------------------------------------

local SequentialSampler = support.class("SequentialSampler", Sampler, MODULE)
samplers.SequentialSampler = SequentialSampler
local read_sequential = define "SequentialSampler.__init__(data_source)"
function SequentialSampler:init(...)
  self.data_source = read_sequential(...).data_source
end
function SequentialSampler:__len() return length(self.data_source) end
function SequentialSampler:iter()
  local i, n = -1, length(self.data_source)
  return function()
    i = i + 1
    if i < n then return i end
  end
end

-- --- at random ----------------------------------------------------------------------------------------

local RandomSampler = support.class("RandomSampler", Sampler, MODULE)
samplers.RandomSampler = RandomSampler
local read_random = define "RandomSampler.__init__(data_source, replacement=false, num_samples?, generator?)"
function RandomSampler:init(...)
  local a = read_random(...)
  self.data_source, self.replacement, self.generator = a.data_source, a.replacement, a.generator
  self.given_samples = a.num_samples
  if type(self.replacement) ~= "boolean" then
    fail("TypeError", "replacement should be a boolean value, but got replacement=%s", python(a.replacement))
  end
  self.num_samples = #self
  check_samples(self.num_samples)
end
function RandomSampler:__len() return self.given_samples or length(self.data_source) end

-- Returns how many pieces are drawn, their size, how many indices of one more piece are used, and that piece's size. That piece
-- is drawn even if none of it is used.
function RandomSampler:pieces()
  local n, wanted = length(self.data_source), #self
  if not self.replacement then return wanted // n, n, wanted % n, n end
  return wanted // 32, 32, wanted % 32, wanted % 32
end

function RandomSampler:draw(size, generator)
  if not self.replacement then return torch.randperm(size, {generator = generator, device = "cpu"}):tolist() end
  return torch.randint(length(self.data_source), {size}, {generator = generator, device = "cpu"}):tolist()
end

function RandomSampler:iter()
  local generator = self.generator
  local full, size, rest, last_size, list, i, n
  local function refill()
    if not generator then generator = torch.Generator():manual_seed(draw_seed()) end
    if not full then full, size, rest, last_size = self:pieces() end
    if full > 0 then
      list, n, full = self:draw(size, generator), size, full - 1
    elseif full == 0 then
      list, n, full = self:draw(last_size, generator), rest, -1
    end
    i = 0
  end
  return function()
    while not list or i == n do
      if full == -1 then return nil end
      refill()
    end
    i = i + 1
    return list[i]
  end
end

local SubsetRandomSampler = support.class("SubsetRandomSampler", Sampler, MODULE)
samplers.SubsetRandomSampler = SubsetRandomSampler
local read_subset = define "SubsetRandomSampler.__init__(indices, generator?)"
function SubsetRandomSampler:init(...)
  local a = read_subset(...)
  self.indices, self.generator = a.indices, a.generator
end
function SubsetRandomSampler:__len() return #self.indices end
function SubsetRandomSampler:iter()
  return lazily(function()
    local indices = torch.is_tensor(self.indices) and self.indices:tolist() or self.indices
    local order = torch.randperm(#indices, {generator = self.generator, device = "cpu"}):tolist()
    for k, i in ipairs(order) do order[k] = indices[i + 1] end
    return order
  end)
end

local WeightedRandomSampler = support.class("WeightedRandomSampler", Sampler, MODULE)
samplers.WeightedRandomSampler = WeightedRandomSampler
local read_weighted = define "WeightedRandomSampler.__init__(weights, num_samples, replacement=true, generator?)"
function WeightedRandomSampler:init(...)
  local a = read_weighted(...)
  check_samples(a.num_samples)
  if type(a.replacement) ~= "boolean" then
    fail("ValueError", "replacement should be a boolean value, but got replacement=%s", python(a.replacement))
  end
  local weights = torch.as_tensor(a.weights, {dtype = torch.float64})
  if weights.ndim ~= 1 then
    fail("ValueError", "weights should be a 1d sequence but given weights have shape %s",
      (tostring(weights.shape):gsub("^torch%.Size%(%[(.-)%]%)$", "(%1)")))
  end
  self.weights, self.num_samples, self.replacement, self.generator = weights, a.num_samples, a.replacement, a.generator
end
function WeightedRandomSampler:__len() return self.num_samples end
function WeightedRandomSampler:iter()
  return lazily(function()
    return torch.multinomial(self.weights, self.num_samples, self.replacement, {generator = self.generator}):tolist()
  end)
end

-- --- batches ------------------------------------------------------------------------------------------

--- A sampler that gives tables of batch_size indices.
local BatchSampler = support.class("BatchSampler", Sampler, MODULE)
samplers.BatchSampler = BatchSampler
local read_batch = define "BatchSampler.__init__(sampler, batch_size, drop_last)"
function BatchSampler:init(...)
  local a = read_batch(...)
  if not positive(a.batch_size) then
    torch._raise("ValueError", "batch_size should be a positive integer value, but got batch_size=" .. python(a.batch_size),
      torch._number_hint(a.batch_size))
  end
  if type(a.drop_last) ~= "boolean" then
    fail("ValueError", "drop_last should be a boolean value, but got drop_last=%s", python(a.drop_last))
  end
  self.sampler, self.batch_size, self.drop_last = a.sampler, a.batch_size, a.drop_last
end
function BatchSampler:__len()
  local n = #self.sampler
  return self.drop_last and n // self.batch_size or (n + self.batch_size - 1) // self.batch_size
end
function BatchSampler:iter()
  local following, finished
  return function()
    if finished then return nil end
    following = following or support.values(self.sampler)
    local batch = {}
    for k = 1, self.batch_size do
      local i = following()
      if i == nil then
        finished = true
        break
      end
      batch[k] = i
    end
    if #batch == 0 or (finished and self.drop_last) then return nil end
    return batch
  end
end

return samplers
