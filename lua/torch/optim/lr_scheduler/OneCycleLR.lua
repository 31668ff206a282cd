-- optim/lr_scheduler/OneCycleLR.lua: torch.optim.lr_scheduler.OneCycleLR (Smith and Topin 2018).
local torch = ...
local support = torch._part "support"
local fail, python = support.fail, torch._part "optim.support".repr
local LRScheduler, momentum = torch._part "torch.optim.lr_scheduler.LRScheduler", torch._part "optim.lr_scheduler.momentum"

local OneCycleLR = support.class("OneCycleLR", LRScheduler, "torch.optim.lr_scheduler")
local read = torch._define("OneCycleLR.__init__(optimizer, max_lr, total_steps?, epochs?, steps_per_epoch?, pct_start=0.3, anneal_strategy='cos', " ..
  "cycle_momentum=true, base_momentum=0.85, max_momentum=0.95, div_factor=25.0, final_div_factor=10000.0, three_phase=false, last_epoch=-1)")

local function is_positive(value) return math.type(value) == "integer" and value > 0 end

local function total_steps(a)
  if a.total_steps ~= nil then
    if not is_positive(a.total_steps) then
      fail("ValueError", "Expected positive integer total_steps, but got %s", python(a.total_steps))
    end
    return a.total_steps
  end
  if a.epochs == nil or a.steps_per_epoch == nil then
    fail("ValueError", "You must define either total_steps OR (epochs AND steps_per_epoch)")
  end
  for _, name in ipairs{"epochs", "steps_per_epoch"} do
    if not is_positive(a[name]) then fail("ValueError", "Expected positive integer %s, but got %s", name, python(a[name])) end
  end
  return a.epochs * a.steps_per_epoch
end

local function phase(end_step, from, to, momentum_from, momentum_to)
  return {end_step = end_step, start_lr = from, end_lr = to, start_momentum = momentum_from, end_momentum = momentum_to}
end

local function phases(total, share, three)
  local rise = phase(share * total - 1.0, "initial_lr", "max_lr", "max_momentum", "base_momentum")
  if not three then return {rise, phase(total - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")} end
  return {rise, phase(2 * share * total - 2.0, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
    phase(total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")}
end

function OneCycleLR:init(...)
  local a = read(...)
  LRScheduler.check_optimizer(a.optimizer)
  self.optimizer, self.total_steps = a.optimizer, total_steps(a)
  if math.type(a.pct_start) ~= "float" or a.pct_start < 0 or a.pct_start > 1 then
    fail("ValueError", "Expected float between 0 and 1 pct_start, but got %s", python(a.pct_start))
  end
  self._schedule_phases = phases(self.total_steps, a.pct_start, a.three_phase)
  if a.anneal_strategy ~= "cos" and a.anneal_strategy ~= "linear" then
    fail("ValueError", "anneal_strategy must be one of 'cos' or 'linear', instead got %s", a.anneal_strategy)
  end
  self._anneal_func_type = a.anneal_strategy
  local max_lrs = LRScheduler.for_groups("max_lr", a.optimizer, a.max_lr)
  if a.last_epoch == -1 then
    for i, group in ipairs(a.optimizer.param_groups) do
      group.initial_lr, group.max_lr = max_lrs[i] / a.div_factor, max_lrs[i]
      group.min_lr = group.initial_lr / a.final_div_factor
    end
  end
  self.cycle_momentum = a.cycle_momentum
  if a.cycle_momentum then momentum.begin(self, a.optimizer, a.base_momentum, a.max_momentum, a.last_epoch == -1) end
  LRScheduler.init(self, a.optimizer, a.last_epoch)
end

-- Functions that return the value at a fraction of the way from one value to another.
local anneal = {
  cos = function(from, to, share) return to + (from - to) / 2.0 * (math.cos(math.pi * share) + 1) end,
  linear = function(from, to, share) return (to - from) * share + from end,
}

function OneCycleLR:get_lr()
  self:check_within_step()
  local step, values = self.last_epoch, {}
  if step > self.total_steps then
    fail("ValueError", "Tried to step %d times. The specified number of total steps is %d", step, self.total_steps)
  end
  local start, at = 0.0, nil
  for i, p in ipairs(self._schedule_phases) do
    at = p
    if step <= p.end_step or i == #self._schedule_phases then break end
    start = p.end_step
  end
  local share, between = (step - start) / (at.end_step - start), anneal[self._anneal_func_type]
  for i, group in ipairs(self.optimizer.param_groups) do
    values[i] = between(group[at.start_lr], group[at.end_lr], share)
    if self.cycle_momentum then
      momentum.set(self, group, between(group[at.start_momentum], group[at.end_momentum], share))
    end
  end
  return values
end

return OneCycleLR
