-- utils/data/distributed.lua: torch.utils.data.distributed: the part of a data set that a rank trains on, in PyTorch's order.
local torch = ...
local support = torch._part "support"
local samplers, length = torch._part "utils.data.sampler", torch._part "utils.data.duck".length
local fail = support.fail

local data = {}

--- DistributedSampler(dataset, num_replicas = ranks, rank = this one, shuffle = true, seed = 0, drop_last = false): every
-- num_replicas-th index of one order that all ranks share. set_epoch(epoch) before each epoch gives it another order.
local DistributedSampler = support.class("DistributedSampler", samplers.Sampler, "torch.utils.data.distributed")
data.DistributedSampler = DistributedSampler

local read = torch._define("DistributedSampler.__init__(dataset, num_replicas?, rank?, shuffle=true, seed=0, drop_last=false)")

local function of_group(name)
  if not torch.distributed.is_available() then fail("RuntimeError", "Requires distributed package to be available") end
  return torch.distributed[name]()
end

function DistributedSampler:init(...)
  local a = read(...)
  self.num_replicas = a.num_replicas or of_group "get_world_size"
  self.rank = a.rank or of_group "get_rank"
  if self.rank >= self.num_replicas or self.rank < 0 then
    fail("ValueError", "Invalid rank %d, rank should be in the interval [0, %d]", self.rank, self.num_replicas - 1)
  end
  self.dataset, self.shuffle, self.seed, self.drop_last, self.epoch = a.dataset, a.shuffle, a.seed, a.drop_last, 0
  local n = length(self.dataset)
  self.num_samples = self.drop_last and n // self.num_replicas or (n + self.num_replicas - 1) // self.num_replicas
  self.total_size = self.num_samples * self.num_replicas
end

function DistributedSampler:__len() return self.num_samples end

--- sampler:set_epoch(epoch) makes the next epoch's order another one.
function DistributedSampler:set_epoch(epoch) self.epoch, self.iterated = epoch, false end

-- Warns once if an epoch repeats the order of the last one.
local function note_epoch(self)
  if self.shuffle and self.iterated and not self.has_warned then
    torch._warn(("DistributedSampler: a second epoch in the order of epoch %d; call sampler:set_epoch(epoch) before each epoch")
      :format(self.epoch))
    self.has_warned = true
  end
  self.iterated = true
end

function DistributedSampler:iter()
  note_epoch(self)
  local n, order = length(self.dataset), nil
  if self.shuffle then
    local generator = torch.Generator():manual_seed(self.seed + self.epoch)
    order = torch.randperm(n, {generator = generator, device = "cpu"}):tolist()
  end
  local at = self.rank - self.num_replicas
  return function()
    at = at + self.num_replicas
    if at >= self.total_size or n == 0 then return nil end
    return order and order[at % n + 1] or at % n -- the last ones are the first ones again
  end
end

return data
