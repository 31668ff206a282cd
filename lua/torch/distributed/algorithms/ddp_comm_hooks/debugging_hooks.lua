-- debugging_hooks.lua: a communication hook that does nothing, which shows how long a training would take if gradients cost no time.
local torch = ...

local hooks = {}

--- noop_hook(state, bucket): each rank keeps its own gradients.
function hooks.noop_hook(_, bucket)
  local future = torch.futures.Future()
  future:set_result(bucket:buffer())
  return future
end

return torch._namespace(hooks, "torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks")
