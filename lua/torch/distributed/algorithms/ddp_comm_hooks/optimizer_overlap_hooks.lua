-- optimizer_overlap_hooks.lua: communication hooks after which an optimizer steps the bucket's parameters at once, without waiting for other buckets:
--   local state = hooks._OptimizerHookState(as_functional_optim(torch.optim.SGD, {lr = 0.1}))
--   ddp:register_comm_hook(nil, hooks._hook_then_optimizer(default_hooks.allreduce_hook, state))
local torch = ...
local support = torch._part "support"

local MODULE = "torch.distributed.algorithms.ddp_comm_hooks.optimizer_overlap_hooks"
local hooks = {}

--- _OptimizerHookState(functional_optim, params): an optimizer with step_param(parameter, gradient), and the parameters that it steps (nil: all).
local State = support.class("_OptimizerHookState", nil, MODULE)
hooks._OptimizerHookState = State
function State:init(functional_optim, params)
  if support.is_plain(functional_optim) or not functional_optim.step_param then
    support.fail("ValueError", "Class %s must implement method step_param.", support.python_class(functional_optim))
  end
  self.functional_optimizer = functional_optim
  self.params_to_optimize = params and {}
  for _, p in ipairs(params or {}) do self.params_to_optimize[p] = true end
end

--- _hook_then_optimizer(hook, state) returns a hook that steps each parameter of a bucket once the hook has reduced it.
function hooks._hook_then_optimizer(hook, state)
  return function(hook_state, bucket)
    return hook(hook_state, bucket):and_then(function(done)
      local buffer, chosen = bucket:buffer(), state.params_to_optimize
      local reduced = done:value()
      if reduced:data_ptr() ~= buffer:data_ptr() then buffer:copy_(reduced) end
      for i, p in ipairs(bucket:parameters()) do
        if not chosen or chosen[p] then state.functional_optimizer:step_param(p, bucket:gradients()[i]) end
      end
      return buffer
    end)
  end
end

return torch._namespace(hooks, MODULE)
