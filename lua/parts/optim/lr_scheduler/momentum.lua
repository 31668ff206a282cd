-- optim/lr_scheduler/momentum.lua: changes of the momentum by CyclicLR and OneCycleLR. The momentum is beta1 if there are betas.
local torch = ...
local support = torch._part "support"
local LRScheduler = torch._part "torch.optim.lr_scheduler.LRScheduler"
local momentum = {}

function momentum.set(self, group, value)
  if self.use_beta1 then
    group.betas = {value, group.betas[2]}
  else
    group.momentum = value
  end
end

--- Records the minimum and maximum momentum in self and, at a beginning, in the groups. Returns both lists.
function momentum.begin(self, optimizer, minimum, maximum, is_beginning)
  local defaults = optimizer.defaults
  if defaults.momentum == nil and defaults.betas == nil then
    support.fail("ValueError", "optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
  end
  self.use_beta1 = defaults.betas ~= nil
  local base = LRScheduler.for_groups("base_momentum", optimizer, minimum)
  local max = LRScheduler.for_groups("max_momentum", optimizer, maximum)
  if is_beginning then
    for i, group in ipairs(optimizer.param_groups) do
      momentum.set(self, group, max[i])
      group.max_momentum, group.base_momentum = max[i], base[i]
    end
  end
  return base, max
end

return momentum
