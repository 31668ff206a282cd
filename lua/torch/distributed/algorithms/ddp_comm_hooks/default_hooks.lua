-- default_hooks.lua: communication hooks of DistributedDataParallel that reduce gradients as they are, or in 16 bits:
--   ddp:register_comm_hook(nil, default_hooks.fp16_compress_hook)
-- Their state is the process group; nil is the default one.
local torch = ...
local world = torch._part "distributed.world"
local collectives = torch._part "distributed.collectives"

local hooks = {}

-- Begins to add up a tensor over the ranks of a group. Returns a future of the tensor.
local function add_up(tensor, group)
  local future = collectives.all_reduce(tensor, {group = group, async_op = true}):get_future()
  return future:and_then(function(done) return done:value()[1] end)
end

--- allreduce_hook(process_group, bucket): the mean over all ranks, as without a hook.
function hooks.allreduce_hook(process_group, bucket)
  local group = world.group_or_default(process_group)
  return add_up(bucket:buffer():div_(group.count), group)
end

local function compress_hook(dtype)
  return function(process_group, bucket)
    local group, buffer = world.group_or_default(process_group), bucket:buffer()
    return add_up(buffer:to(dtype):div_(group.count), group):and_then(function(done) return buffer:copy_(done:value()) end)
  end
end

local function compress_wrapper(dtype)
  return function(hook)
    return function(state, bucket)
      bucket:set_buffer(bucket:buffer():to(dtype))
      return hook(state, bucket):and_then(function(done) return bucket:buffer():copy_(done:value()) end)
    end
  end
end

--- fp16_compress_hook(process_group, bucket): the mean in float16.
hooks.fp16_compress_hook = compress_hook(torch.float16)
--- bf16_compress_hook(process_group, bucket): the mean in bfloat16.
hooks.bf16_compress_hook = compress_hook(torch.bfloat16)
--- fp16_compress_wrapper(hook) returns a hook that hands gradients in float16 to another one.
hooks.fp16_compress_wrapper = compress_wrapper(torch.float16)
--- bf16_compress_wrapper(hook) returns a hook that hands gradients in bfloat16 to another one.
hooks.bf16_compress_wrapper = compress_wrapper(torch.bfloat16)

return torch._namespace(hooks, "torch.distributed.algorithms.ddp_comm_hooks.default_hooks")
