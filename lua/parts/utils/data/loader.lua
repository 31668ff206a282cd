-- utils/data/loader.lua: torch.utils.data.DataLoader. A loader is an iterator: `for x, y in loader do`. A loop may be left
-- early, restarted and nested. Batches are made here or by workers (workers.lua), in PyTorch's order.
local torch = ...
local support = torch._part "support"
local samplers, collate, draw_seed = torch._part "utils.data.sampler", torch._part "utils.data.collate", torch._part "utils.data.draw_seed"
local fetch, duck, rows = torch._part "utils.data.fetch", torch._part "utils.data.duck", torch._part "utils.data.rows"
local pinned = torch._part "utils.data.pin"
local fail, python = support.fail, support.python

local DataLoader = support.class("DataLoader", nil, "torch.utils.data.dataloader")

local read = torch._define("DataLoader.__init__(dataset, batch_size=1, shuffle?, sampler?, batch_sampler?, num_workers=0, " ..
  "collate_fn?, pin_memory=false, drop_last=false, timeout=0, worker_init_fn?, multiprocessing_context?, generator?, *, " ..
  "prefetch_factor?, persistent_workers=false, pin_memory_device='', in_order=true)")

-- --- making one -----------------------------------------------------------------------------------------

local function check_workers(a)
  local workers = a.num_workers
  if workers < 0 then
    fail("ValueError", "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
  end
  if a.timeout < 0 then fail("ValueError", "timeout option should be non-negative") end
  if workers == 0 and a.prefetch_factor ~= nil then
    fail("ValueError", "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to "
      .. "enable multiprocessing, otherwise set prefetch_factor to None.")
  elseif a.prefetch_factor and a.prefetch_factor < 0 then
    fail("ValueError", "prefetch_factor option should be non-negative")
  end
  if a.persistent_workers and workers == 0 then
    fail("ValueError", "persistent_workers option needs num_workers > 0")
  end
end

-- Checks multiprocessing_context. PyTorch's words for how processes start are accepted, though workers are threads.
local function check_context(a)
  local context = a.multiprocessing_context
  if context == nil then return end
  if a.num_workers == 0 then
    fail("ValueError", "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers=0")
  elseif type(context) ~= "string" then
    fail("TypeError", "multiprocessing_context option should be a valid context object or a string specifying the start method, but got "
      .. "multiprocessing_context=%s", python(context))
  elseif context ~= "fork" and context ~= "spawn" and context ~= "forkserver" then
    fail("ValueError", "multiprocessing_context option should specify a valid start method in ['fork', 'spawn', 'forkserver'], but got "
      .. "multiprocessing_context='%s'", context)
  end
end

local function check_iterable(a)
  local unexpected = "DataLoader with IterableDataset: expected unspecified %s option, but got %s=%s"
  for _, name in ipairs{"shuffle", "sampler", "batch_sampler"} do
    if a[name] then fail("ValueError", unexpected, name, name, python(a[name])) end
  end
end

local function check_exclusive(a)
  if a.sampler ~= nil and a.shuffle then fail("ValueError", "sampler option is mutually exclusive with shuffle") end
  if a.batch_sampler ~= nil then
    if (a.batch_size or 1) ~= 1 or a.shuffle or a.sampler ~= nil or a.drop_last then
      fail("ValueError", "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
    end
  elseif a.batch_size == false and a.drop_last then
    fail("ValueError", "batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
  end
end

local function is_stream(dataset)
  return support.class_of(dataset) and dataset:isinstance(torch._part "utils.data.dataset".IterableDataset) or false
end

-- Returns a sampler without end for a stream, whose samples have no indices.
local function without_end() return function() return 0 end end

local function default_sampler(a, stream)
  if stream then return without_end() end
  if a.shuffle then return samplers.RandomSampler{data_source = a.dataset, generator = a.generator} end
  return samplers.SequentialSampler{data_source = a.dataset}   -- a plain table as the only argument would be keywords
end

--- Creates DataLoader(dataset, {batch_size, shuffle, ...}), as in PyTorch. batch_size = false is Python's None: single samples,
-- no batches.
function DataLoader:init(...)
  local alone = select("#", ...) == 1 and duck.has_methods((...))   -- a plain table with getitem is the data set, not keywords
  local a = alone and read{dataset = (...)} or read(...)
  local stream = is_stream(a.dataset)
  check_workers(a)
  if stream then check_iterable(a) end
  check_exclusive(a)
  check_context(a)
  self.dataset, self.generator, self.stream = a.dataset, a.generator, stream
  self.num_workers, self.in_order = a.num_workers, a.in_order
  self.prefetch_factor = a.prefetch_factor or (a.num_workers > 0 and 2 or nil)
  self.timeout, self.worker_init_fn = a.timeout, a.worker_init_fn
  self.persistent_workers, self.pin_memory = a.persistent_workers, a.pin_memory
  self.drop_last = a.drop_last
  self.sampler = a.sampler or default_sampler(a, stream)
  self.batch_sampler = a.batch_sampler
  if a.batch_size and not a.batch_sampler then
    self.batch_size = a.batch_size
    self.batch_sampler = samplers.BatchSampler(self.sampler, a.batch_size, self.drop_last)
  end
  self.collate_fn = a.collate_fn or (self.batch_sampler and collate.default_collate or collate.default_convert)
end

function DataLoader:__len()
  if not self.stream then return #(self.batch_sampler or self.sampler) end
  local n, size = duck.length(self.dataset), self.batch_size
  if not size then return n end
  return self.drop_last and n // size or (n + size - 1) // size
end

-- --- batches --------------------------------------------------------------------------------------------

-- Returns functions that draw a sampler's indices in steps, or nil if the sampler is of another kind. step(first, n) returns the
-- index tensor of a batch. tail(), if returned, draws what the sampler draws when it is asked for more indices than it has.
local function steps_of(sampler)
  local class = support.class_of(sampler)
  if class == samplers.SequentialSampler then
    local order
    return function(first, n)
      order = order or torch.arange(#sampler, {device = "cpu"})
      return order:narrow(0, first, n)
    end
  end
  if class ~= samplers.RandomSampler or sampler.replacement or sampler.given_samples then return nil end
  local given, generator, order = sampler.generator, sampler.generator, nil
  local function step(first, n)
    if not order then
      if not generator then generator = torch.Generator():manual_seed(draw_seed()) end
      order = torch.randperm(#sampler, {generator = generator, device = "cpu"})
    end
    return order:narrow(0, first, n)
  end
  return step, given and function() torch.randperm(#sampler, {generator = given, device = "cpu"}) end
end

-- Returns a pass that takes batches as rows of tensors, in the sampler's order, and a function that draws the order. Returns nil
-- if the samples, the batches or their order are not the usual ones.
local function pass_over_tensors(self, skipped)
  local batches = self.batch_sampler
  local usual = self.collate_fn == collate.default_collate and support.class_of(batches) == samplers.BatchSampler
  if self.stream or not usual then return nil end
  local step, tail = steps_of(batches.sampler)
  if not step or batches.sampler.data_source ~= self.dataset then return nil end
  local tensors, own = rows.source(self.dataset)
  if not tensors then return nil end
  local first, total, size = skipped * batches.batch_size, duck.length(self.dataset), batches.batch_size
  local function begin() step(0, 0) end -- draws the order
  local function pass()
    local n = math.min(size, total - first)
    local index = n > 0 and step(first, n)
    if n < size and tail then
      tail()
      tail = nil
    end
    first = first + n
    if n <= 0 or (n < size and batches.drop_last) then return nil end
    return table.unpack(rows.take(tensors, own and own:index_select(0, index) or index))
  end
  return pass, begin
end

local function warn_of_many(workers)
  local maximum = torch._processors()
  if workers <= maximum then return end
  torch._warn(("This DataLoader will create %d worker processes in total. Our suggested max number of worker in current system is %d, which "
    .. "is smaller than what this DataLoader is going to create. Please be aware that excessive worker creation might get DataLoader running "
    .. "slow or even freeze, lower the worker number to avoid potential slowness/freeze if necessary."):format(workers, maximum))
end

-- Returns a function that gives batch after batch, without the first `skipped` ones, and with workers a function that ends them.
local function start_pass(self, skipped)
  if self.num_workers > 0 and not self.without_workers then
    warn_of_many(self.num_workers)
    local following, close = torch._part "utils.data.workers".start(self, skipped)
    if following then return following, close end
    self.without_workers = true
    torch._warn(("This DataLoader could not create its %d workers: can't start new thread. Data loading continues in the main process, as with "
      .. "num_workers=0."):format(self.num_workers))
  end
  if self.timeout ~= 0 and self.num_workers == 0 then fail("AssertionError", "_SingleProcessDataLoaderIter requires timeout == 0") end
  local pass, begin = pass_over_tensors(self, skipped)
  if pass then
    draw_seed(self.generator)
    if skipped > 0 then begin() end
    return pass
  end
  local indices = support.values(self.batch_sampler or self.sampler)
  draw_seed(self.generator) -- the base seed of the workers, drawn without workers, too
  local fetched = fetch.of(self)
  local function step()
    local index = indices()
    if index == nil then return nil end
    return fetched(index)
  end
  for _ = 1, skipped do
    if self.stream then step() else indices() end
  end
  return step
end

-- --- the position of a pass ------------------------------------------------------------------------------

-- Returns `following` with its batches counted in `position`, which the loader keeps until the pass ends.
local function located(self, position, following)
  local function pass(first, ...)
    if first ~= nil then
      position.batches = position.batches + 1
    elseif self.position == position then
      self.position = nil
    end
    return first, ...
  end
  return function() return pass(following()) end
end

-- Returns the interrupted pass that load_state_dict set, from its next batch: the order is drawn again from the generator's
-- state at the beginning of that pass.
local function resumed(self, position)
  local generator = self.generator or torch.default_generator
  local now = generator:get_state()
  generator:set_state(position.generator)
  local ok, following, close = pcall(start_pass, self, position.batches)
  if not (ok and self.generator) then generator:set_state(now) end
  if not ok then error(following, 0) end
  return following, close
end

local function is_pinned(self)
  if not self.pin_memory then return false end
  if torch.cuda.is_available() then return true end
  torch._warn("'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.")
  return false
end

--- Starts a pass over the data. Returns a function that gives batch after batch (in page-locked memory with pin_memory, if there
-- is a GPU to copy to), and with workers a function that ends them.
function DataLoader.start(self)
  local pinning = is_pinned(self)
  self.pinning = pinning -- by the workers, so that the main thread finds the batches pinned
  local loaded = self.loaded_position
  local position = loaded or {batches = 0, generator = (self.generator or torch.default_generator):get_state()}
  self.loaded_position, self.position = nil, position
  local following, close
  if loaded then following, close = resumed(self, loaded) else following, close = start_pass(self, 0) end
  following = located(self, position, following)
  if not pinning then return following, close end
  return function() return pinned(following()) end, close
end

--- Returns the position of the latest pass: how many batches it gave, and the generator's state at its beginning. Between passes,
-- the number is 0.
function DataLoader:state_dict()
  local position = self.position
  if not position or position.batches == 0 then return {batches = 0} end
  return {batches = position.batches, generator = position.generator}
end

--- Makes the next pass continue where state_dict was called. The default generator's state does not change.
function DataLoader:load_state_dict(state_dict)
  local n = state_dict.batches
  if math.type(n) ~= "integer" or n < 0 then fail("ValueError", "a loader's state has a number of batches, not %s", python(n)) end
  if n > 0 and not torch.is_tensor(state_dict.generator) then fail("KeyError", "'generator'") end
  self.loaded_position = n > 0 and {batches = n, generator = state_dict.generator} or nil
end

--- Returns the first batch of a new pass, like Python's next(iter(loader)).
function DataLoader:first()
  local following, close = self.start(self)
  local function closed(...)
    if close then close() end
    return ...
  end
  return closed(following())
end

--- `for i, x, y in loader:enumerate() do` counts i from 0. If such a loop is left, its workers end.
function DataLoader:enumerate()
  local following, close = self.start(self)
  local i = -1
  local function count(first, ...)
    if first == nil then return nil end
    i = i + 1
    return i, first, ...
  end
  local function step() return count(following()) end
  if not close then return step end
  return step, nil, nil, setmetatable({}, {__close = close})
end

return DataLoader
