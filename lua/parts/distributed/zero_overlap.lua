-- distributed/zero_overlap.lua: steps of a ZeroRedundancyOptimizer within the backward pass of a DistributedDataParallel: each bucket's parameters belong to a
-- rank (or to several), which steps them once the bucket is reduced, and broadcasts them.
local torch = ...
local collectives = torch._part "distributed.collectives"
local zero_parts = torch._part "distributed.zero_parts"

local overlap = {}

-- --- who has which parameter --------------------------------------------------------------------------------------------

local function size_of(params)
  local sum = 0
  for _, p in ipairs(params) do sum = sum + p:numel() end
  return sum
end

-- Gives parameters first to last of bucket number b to a rank (0 is the first).
local function assign(self, b, first, last, rank)
  local params = table.move(self.buckets[b], first, last, 1, {})
  self.assigned[b][rank] = {offset = first - 1, params = params}
  table.insert(self.order[b], rank)
  table.move(params, 1, #params, #self.params_of[rank] + 1, self.params_of[rank])
end

-- Returns the rank with the fewest elements that has no part of bucket b.
local function least(self, sizes, b)
  local found
  for r = 0, #sizes do
    if not self.assigned[b][r] and (not found or sizes[r] < sizes[found]) then found = r end
  end
  return found
end

-- Divides buckets, the smallest first, into parts of less than the mean of all ranks' elements.
local function assign_in_parts(self, ranks)
  local order, sizes, total = {}, {}, 0
  for r = 0, ranks - 1 do sizes[r] = 0 end
  for b, params in ipairs(self.buckets) do
    order[b] = {b = b, size = size_of(params)}
    total = total + order[b].size
  end
  table.sort(order, function(x, y) return x.size < y.size or x.size == y.size and x.b < y.b end)
  for _, entry in ipairs(order) do
    local b, first, size = entry.b, 1, 0
    local function give(last)
      local rank = least(self, sizes, b)
      assign(self, b, first, last, rank)
      sizes[rank], first, size = sizes[rank] + size, last + 1, 0
    end
    for i, p in ipairs(self.buckets[b]) do
      if size + p:numel() >= total / ranks and i > first and #self.order[b] < ranks - 1 then give(i - 1) end   -- the last rank takes the rest
      size = size + p:numel()
    end
    give(#self.buckets[b])
  end
end

-- Decides who has which parameter, moves the parameters of each part into one tensor, and makes this rank's optimizer.
local function begin(zero)
  local self, ranks = zero.overlap, zero.world_size
  self.assigned, self.order, self.params_of = {}, {}, {}
  for r = 0, ranks - 1 do self.params_of[r] = {} end
  for b in ipairs(self.buckets) do self.assigned[b], self.order[b] = {}, {} end
  if self.in_parts then
    assign_in_parts(self, ranks)
  else
    for b, params in ipairs(self.buckets) do assign(self, b, 1, #params, (b - 1) % ranks) end
  end
  zero.parts = {}
  for r = 0, ranks - 1 do
    zero.parts[r + 1] = {{}}
    zero_parts.copy_options(zero.param_groups, zero.parts[r + 1])
    zero.parts[r + 1][1].params = self.params_of[r]
  end
  for b, order in ipairs(self.order) do
    table.sort(order)
    for _, part in pairs(self.assigned[b]) do
      part.sent = {}
      zero_parts.flatten(part.params, part.sent)
    end
  end
  zero.optim = self.optimizer_class(zero.parts[zero.rank + 1], self.defaults)
end

--- Returns true once the parts are decided. Until then, notes the parameters of a bucket: of a pass after buckets were made again.
function overlap.is_ready(zero, ddp, bucket)
  local self = zero.overlap
  if zero.parts then return true end
  if not select(2, ddp.reducer:buckets()) then return false end
  self.buckets = self.buckets or {}
  if bucket:index() == 0 and #self.buckets > 0 then
    begin(zero)
    return true
  end
  self.buckets[bucket:index() + 1] = bucket:parameters()
  return false
end

-- --- steps --------------------------------------------------------------------------------------------------------------

-- Returns this rank's part of a bucket, or nil.
local function own_part(zero, bucket) return zero.overlap.assigned[bucket:index() + 1][zero.rank] end

--- Returns true if this rank steps parameters of the bucket.
function overlap.has_part(zero, bucket) return own_part(zero, bucket) ~= nil end

--- Steps this rank's parameters of a bucket by the bucket's gradients.
function overlap.step(zero, bucket)
  local part, params, kept = own_part(zero, bucket), zero.overlap.params_of[zero.rank], {}
  if not part then return end
  for i, p in ipairs(params) do
    kept[i] = p.grad or false
    p.grad = nil
  end
  for i, p in ipairs(part.params) do p.grad = bucket:gradients()[part.offset + i] end
  zero_parts.copy_options(zero.param_groups, zero.optim.param_groups)
  zero.optim:step()
  zero_parts.copy_options(zero.optim.param_groups, zero.param_groups)
  for i, p in ipairs(params) do p.grad = kept[i] or nil end
end

--- Begins to broadcast the parameters of a bucket, each from the rank that has it.
function overlap.broadcast(zero, bucket)
  local self, number = zero.overlap, bucket:index() + 1
  self.works = self.works or {}
  for _, rank in ipairs(self.order[number]) do
    for _, tensor in ipairs(self.assigned[number][rank].sent) do
      table.insert(self.works, collectives.broadcast(tensor, {group = zero.process_group, group_src = rank, async_op = true}))
    end
  end
end

--- Waits for the broadcasts of a pass.
function overlap.wait(zero)
  for _, work in ipairs(zero.overlap.works) do work:wait() end
  zero.overlap.works = nil
end

return overlap
