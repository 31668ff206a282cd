-- ddp_zero_hook.lua: communication hooks that step a ZeroRedundancyOptimizer while gradients are reduced:
--   local zero = dist.optim.ZeroRedundancyOptimizer(ddp:parameters(), {optimizer_class = torch.optim.SGD, overlap_with_ddp = true, lr = 0.1})
--   ddp:register_comm_hook(nil, ddp_zero_hook.hook_with_zero_step(default_hooks.allreduce_hook, ddp, zero))
-- The first two passes (three with static_graph) step nothing: the buckets are not final.
local torch = ...
local support = torch._part "support"
local overlap = torch._part "distributed.zero_overlap"
local fail = support.fail

local hooks = {}

local NAMES = "(hook, ddp, zero, shard_buckets=false)"

-- Reads the arguments of a hook's maker.
local function reader(name)
  local read = torch._define(name .. NAMES)
  return function(...)
    local a = read(...)
    if not a.zero.overlap then
      fail("ValueError", "ZeroRedundancyOptimizer must be constructed with `overlap_with_ddp=True` to use this hook properly")
    end
    if torch.distributed.get_backend(a.ddp.process_group) == "gloo" then
      fail("RuntimeError", "Gloo backend using Overlapping DDP with ZeRO may meet hangs")
    end
    a.zero.overlap.in_parts = a.shard_buckets
    return a
  end
end

local read_step, read_interleaved = reader "hook_with_zero_step", reader "hook_with_zero_step_interleaved"

--- hook_with_zero_step(hook, ddp, zero, shard_buckets = false) returns a hook that reduces as `hook` does and, once the last bucket is full, steps and
-- broadcasts all of them. shard_buckets: a bucket may be divided between ranks.
function hooks.hook_with_zero_step(...)
  local a, under_way = read_step(...), {}
  return function(state, bucket)
    local future = a.hook(state, bucket)
    if not overlap.is_ready(a.zero, a.ddp, bucket) then return future end
    table.insert(under_way, {bucket = bucket, future = future})
    if not bucket:is_last() then return future end
    for _, entry in ipairs(under_way) do
      if overlap.has_part(a.zero, entry.bucket) then
        entry.future:wait()
        overlap.step(a.zero, entry.bucket)
      end
      overlap.broadcast(a.zero, entry.bucket)
    end
    under_way = {}
    overlap.wait(a.zero)
    return future
  end
end

--- hook_with_zero_step_interleaved(hook, ddp, zero, shard_buckets = false) returns a hook that steps and broadcasts each bucket once it is reduced.
function hooks.hook_with_zero_step_interleaved(...)
  local a = read_interleaved(...)
  return function(state, bucket)
    local future = a.hook(state, bucket)
    if not overlap.is_ready(a.zero, a.ddp, bucket) then return future end
    return future:and_then(function()
      overlap.step(a.zero, bucket)
      overlap.broadcast(a.zero, bucket)
      if bucket:is_last() then overlap.wait(a.zero) end
      return bucket:buffer()
    end)
  end
end

return torch._namespace(hooks, "torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook")
