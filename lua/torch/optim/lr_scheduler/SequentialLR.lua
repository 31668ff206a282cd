-- optim/lr_scheduler/SequentialLR.lua: runs one scheduler after the other, each from its milestone on.
local torch = ...
local support = torch._part "support"
local fail = support.fail
local Joined, LRScheduler = torch._part "optim.lr_scheduler.joined", torch._part "torch.optim.lr_scheduler.LRScheduler"

local Sequential = support.class("SequentialLR", Joined, "torch.optim.lr_scheduler")
local read = torch._define "SequentialLR.__init__(optimizer, schedulers, milestones, last_epoch=-1)"

-- Reverts the step that every scheduler made in its constructor.
local function undo(scheduler)
  if scheduler._schedulers then
    for _, inner in ipairs(scheduler._schedulers) do undo(inner) end
  elseif scheduler.last_epoch then
    scheduler.last_epoch = scheduler.last_epoch - 1
  end
end

function Sequential:place(epoch)
  local i = 1
  while self._milestones[i] and self._milestones[i] <= epoch do i = i + 1 end
  return i
end

function Sequential:init(...)
  local a = read(...)
  self:check(a.schedulers, a.optimizer, "")
  if #a.milestones ~= #a.schedulers - 1 then
    fail("ValueError", "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone points, but " ..
      "got number of schedulers %d and the number of milestones to be equal to %d", #a.schedulers, #a.milestones)
  end
  self._milestones, self.last_epoch = a.milestones, a.last_epoch + 1
  for _, group in ipairs(self.optimizer.param_groups) do LRScheduler.set(group, "lr", group.initial_lr) end
  undo(self)
  local first = self._schedulers[self:place(0)]
  first:initial_step()
  self._last_lr = first:get_last_lr()
end

function Sequential:step()
  self.last_epoch = self.last_epoch + 1
  local i = self:place(self.last_epoch)
  local scheduler = self._schedulers[i]
  if self._milestones[i - 1] == self.last_epoch then
    scheduler:update_lr(0)
  else
    scheduler:step()
  end
  self._last_lr = scheduler:get_last_lr()
end

return Sequential
