-- optim/lr_scheduler/CyclicLR.lua: torch.optim.lr_scheduler.CyclicLR (Smith 2017).
local torch = ...
local support = torch._part "support"
local fail = support.fail
local LRScheduler, momentum = torch._part "torch.optim.lr_scheduler.LRScheduler", torch._part "optim.lr_scheduler.momentum"

local CyclicLR = support.class("CyclicLR", LRScheduler, "torch.optim.lr_scheduler")
local read = torch._define("CyclicLR.__init__(optimizer, base_lr, max_lr, step_size_up=2000, step_size_down?, mode='triangular', gamma=1.0, " ..
  "scale_fn?, scale_mode='cycle', cycle_momentum=true, base_momentum=0.8, max_momentum=0.9, last_epoch=-1)")

-- The height of a cycle, by its number or by the iteration.
local modes = {
  triangular = {"cycle", function() return 1.0 end},
  triangular2 = {"cycle", function(_, cycle) return 1 / 2.0 ^ (cycle - 1) end},
  exp_range = {"iterations", function(self, iteration) return self.gamma ^ iteration end},
}

function CyclicLR:init(...)
  local a = read(...)
  LRScheduler.check_optimizer(a.optimizer)
  self.optimizer = a.optimizer
  local base_lrs = LRScheduler.for_groups("base_lr", a.optimizer, a.base_lr)
  if a.last_epoch == -1 then
    for i, group in ipairs(a.optimizer.param_groups) do LRScheduler.set(group, "lr", base_lrs[i]) end
  end
  self.max_lrs = LRScheduler.for_groups("max_lr", a.optimizer, a.max_lr)
  local up = a.step_size_up + 0.0
  self.total_size = up + (a.step_size_down or up)
  self.step_ratio = up / self.total_size
  if not modes[a.mode] and a.scale_fn == nil then fail("ValueError", "mode is invalid and scale_fn is None") end
  self.mode, self.gamma, self._scale_fn_custom, self.scale_mode = a.mode, a.gamma, a.scale_fn, a.scale_mode
  if not a.scale_fn then self.scale_mode = modes[a.mode][1] end
  self.cycle_momentum = a.cycle_momentum
  if a.cycle_momentum then
    self.base_momentums, self.max_momentums =
      momentum.begin(self, a.optimizer, a.base_momentum, a.max_momentum, a.last_epoch == -1)
  end
  LRScheduler.init(self, a.optimizer, a.last_epoch)
  self.base_lrs = base_lrs
end

function CyclicLR:scale_fn(x)
  if self._scale_fn_custom then return self._scale_fn_custom(x) end
  return modes[self.mode][2](self, x)
end

function CyclicLR:get_lr()
  self:check_within_step()
  local cycle = math.floor(1 + self.last_epoch / self.total_size)
  local x = 1.0 + self.last_epoch / self.total_size - cycle
  local factor = x <= self.step_ratio and x / self.step_ratio or (x - 1) / (self.step_ratio - 1)
  local place = self.scale_mode == "cycle" and cycle or self.last_epoch
  local values = {}
  for i, base in ipairs(self.base_lrs) do values[i] = base + (self.max_lrs[i] - base) * factor * self:scale_fn(place) end
  if self.cycle_momentum then
    for i, group in ipairs(self.optimizer.param_groups) do
      local minimum, maximum = self.base_momentums[i], self.max_momentums[i]
      momentum.set(self, group, maximum - (maximum - minimum) * factor * self:scale_fn(place))
    end
  end
  return values
end

function CyclicLR:state_dict() return self:fields_with "_scale_fn_custom" end
function CyclicLR:load_state_dict(state_dict) self:load_fields_but("_scale_fn_custom", state_dict) end

return CyclicLR
