-- optim/lr_scheduler/ReduceLROnPlateau.lua: reduces the learning rate when a number has stopped improving.
local torch = ...
local support = torch._part "support"
local fail = support.fail
local LRScheduler = torch._part "torch.optim.lr_scheduler.LRScheduler"

local Plateau = support.class("ReduceLROnPlateau", LRScheduler, "torch.optim.lr_scheduler")
local read = torch._define("ReduceLROnPlateau.__init__(optimizer, mode='min', factor=0.1, patience=10, threshold=1e-4, threshold_mode='rel', " ..
  "cooldown=0, min_lr=0, eps=1e-8)")

function Plateau:init(...)
  local a = read(...)
  if a.factor >= 1.0 then fail("ValueError", "Factor should be < 1.0.") end
  LRScheduler.check_optimizer(a.optimizer)
  local n = #a.optimizer.param_groups
  if support.is_plain(a.min_lr) and #a.min_lr ~= n then fail("ValueError", "expected %d min_lrs, got %d", n, #a.min_lr) end
  self.factor, self.optimizer = a.factor, a.optimizer
  if not support.is_plain(a.min_lr) then self.default_min_lr = a.min_lr end
  self.min_lrs = LRScheduler.for_groups("min_lr", a.optimizer, a.min_lr)
  self.patience, self.cooldown, self.eps, self.last_epoch = a.patience, a.cooldown, a.eps, 0
  self._last_lr = LRScheduler.values_of(a.optimizer, "lr")
  self:init_is_better(a.mode, a.threshold, a.threshold_mode)
  self:reset()
end

function Plateau:reset() self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0 end
Plateau._reset = Plateau.reset

function Plateau:init_is_better(mode, threshold, threshold_mode)
  if mode ~= "min" and mode ~= "max" then fail("ValueError", "mode %s is unknown!", mode) end
  if threshold_mode ~= "rel" and threshold_mode ~= "abs" then fail("ValueError", "threshold mode %s is unknown!", threshold_mode) end
  self.mode_worse = mode == "min" and math.huge or -math.huge
  self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
end

function Plateau:is_better(a, best)
  local relative = self.threshold_mode == "rel"
  if self.mode == "min" then return a < (relative and best * (1.0 - self.threshold) or best - self.threshold) end
  return a > (relative and best * (self.threshold + 1.0) or best + self.threshold)
end

function Plateau:reduce_lr()
  local n = #self.optimizer.param_groups
  if n ~= #self.min_lrs then
    if self.default_min_lr == nil then
      fail("RuntimeError", "The number of param groups in the `optimizer` (%d) differs from when `ReduceLROnPlateau` was initialized (%d), " ..
        "usually due to a new param group being added to the optimizer. Please modify the `min_lrs` field to match the length of the " ..
        "`optimizer` param groups.", n, #self.min_lrs)
    end
    self.min_lrs = LRScheduler.for_groups("min_lr", self.optimizer, self.default_min_lr)
  end
  for i, group in ipairs(self.optimizer.param_groups) do
    local old = torch.is_tensor(group.lr) and group.lr:item() or group.lr
    local new = math.max(old * self.factor, self.min_lrs[i])
    if old - new > self.eps then LRScheduler.set(group, "lr", new) end
  end
end

--- Makes a step. metrics: the number that should improve, or a tensor with it.
function Plateau:step(metrics, epoch)
  if metrics == nil then fail("TypeError", "ReduceLROnPlateau.step() missing 1 required positional argument: 'metrics'") end
  local current = torch.is_tensor(metrics) and metrics:item() or metrics
  epoch = LRScheduler.epoch_of(epoch)
  if epoch then torch._warn(LRScheduler.EPOCH_DEPRECATION_WARNING) end
  self.last_epoch = epoch or self.last_epoch + 1
  if self:is_better(current + 0.0, self.best) then
    self.best, self.num_bad_epochs = current + 0.0, 0
  else
    self.num_bad_epochs = self.num_bad_epochs + 1
  end
  if self.cooldown_counter > 0 then
    self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
  end
  if self.num_bad_epochs > self.patience then
    self:reduce_lr()
    self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
  end
  self._last_lr = LRScheduler.values_of(self.optimizer, "lr")
end

function Plateau:load_state_dict(state_dict)
  LRScheduler.load_state_dict(self, state_dict)
  self:init_is_better(self.mode, self.threshold, self.threshold_mode)
end

return Plateau
