-- post_localSGD_hook.lua: gradients of all ranks in the first passes, then of a subgroup or of none: model averaging keeps ranks together
-- (torch.distributed.algorithms.model_averaging).
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local default_hooks = torch._part "torch.distributed.algorithms.ddp_comm_hooks.default_hooks"
local noop_hook = torch._part("torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks").noop_hook

local MODULE = "torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook"
local hooks = {}

--- PostLocalSGDState(process_group, subgroup, start_localSGD_iter, post_local_gradient_allreduce = true): from pass start_localSGD_iter on,
-- gradients are averaged over subgroup (nil: the ranks of each machine), or not at all.
local State = support.class("PostLocalSGDState", nil, MODULE)
hooks.PostLocalSGDState = State

local read = torch._define "PostLocalSGDState.__init__(process_group?, subgroup?, start_localSGD_iter, post_local_gradient_allreduce=true)"

function State:init(...)
  for name, value in pairs(read(...)) do self[name] = value end
  self.iter = 0
end

function State:maybe_increase_iter(bucket)
  if bucket:is_last() then self.iter = self.iter + 1 end
end

--- post_localSGD_hook(state, bucket): the mean over all ranks at first, then over the subgroup.
function hooks.post_localSGD_hook(state, bucket)
  if state.iter < state.start_localSGD_iter then
    state:maybe_increase_iter(bucket)
    return default_hooks.allreduce_hook(world.group_or_default(state.process_group), bucket)
  end
  if not state.post_local_gradient_allreduce then return noop_hook(nil, bucket) end
  state.subgroup = state.subgroup or torch.distributed.new_subgroups()
  return default_hooks.allreduce_hook(state.subgroup, bucket)
end

return torch._namespace(hooks, MODULE)
