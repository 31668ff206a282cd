-- distributed/metrics.lua: the metrics of torch.metrics over all ranks: compute() is the value for what all of them have seen, as in the
-- package torchmetrics; every rank calls it. A metric that is called with a batch answers for that batch on this rank alone.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local objects = torch._part "distributed.objects"

-- Options that every metric takes.
local OPTIONS = {"sync_on_compute", "dist_sync_on_step", "process_group"}

-- Moves those options from the last argument to the fields of a metric. Returns the other arguments.
local function take_options(self, ...)
  local given = table.pack(...)
  local last = given[given.n]
  if support.is_plain(last) then
    local rest = table.move(last, 1, #last, 1, {})
    for key, value in pairs(last) do rest[key] = value end
    for _, name in ipairs(OPTIONS) do
      self[name] = rest[name]
      rest[name] = nil
    end
    given[given.n] = rest
    if next(rest) == nil then given.n = given.n - 1 end
  end
  return table.unpack(given, 1, given.n)
end

-- Returns true if the metric is now to be computed over several ranks.
local function is_shared(self)
  return world.default and self.sync_on_compute ~= false and not self.is_synced and not self.is_of_batch
end

local function define_sync(Metric)
  --- Takes over what all ranks of the group have seen; unsync() goes back to this rank's own. Every rank calls it.
  function Metric:sync()
    if self.is_synced then support.fail("RuntimeError", "The Metric has already been synced.") end
    local group, all = world.group_or_default(self.process_group), {}
    objects.all_gather_object(all, {state = self.gathered}, {group = group})
    local state
    for rank = 1, group.count do state = self:_merged(state, all[rank].state) end
    self.own, self.gathered, self.is_synced = self.gathered, state, true
  end

  --- Goes back to what this rank has seen.
  function Metric:unsync()
    if not self.is_synced then support.fail("RuntimeError", "The Metric has already been un-synced.") end
    self.gathered, self.own, self.is_synced = self.own, nil, false
  end

  local forward = Metric.forward
  function Metric:forward(...)
    local before = self.is_of_batch
    self.is_of_batch = not self.dist_sync_on_step
    local results = table.pack(pcall(forward, self, ...))
    self.is_of_batch = before
    if not results[1] then error(results[2], 0) end
    return table.unpack(results, 2, results.n)
  end
end

-- Makes a class compute over all ranks.
local function share(class)
  local init, compute, reset = class.init, class.compute, class.reset
  function class:init(...) init(self, take_options(self, ...)) end
  function class:compute()
    if not is_shared(self) then return compute(self) end
    self:sync()
    local ok, value = pcall(compute, self)
    self:unsync()
    if not ok then error(value, 0) end
    return value
  end
  function class:reset()
    self.own, self.is_synced = nil, false
    reset(self)
  end
end

return function(metrics)
  define_sync(metrics.Metric)
  for name, class in pairs(metrics) do
    if name ~= "Metric" and name ~= "functional" then share(class) end
  end
end
