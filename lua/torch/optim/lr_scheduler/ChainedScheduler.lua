-- optim/lr_scheduler/ChainedScheduler.lua: several schedulers at once.
local torch = ...
local support = torch._part "support"
local Joined, LRScheduler = torch._part "optim.lr_scheduler.joined", torch._part "torch.optim.lr_scheduler.LRScheduler"

local Chained = support.class("ChainedScheduler", Joined, "torch.optim.lr_scheduler")
local read = torch._define "ChainedScheduler.__init__(schedulers, optimizer?)"

function Chained:init(...)
  local a = read(...)
  self:check(a.schedulers, a.optimizer, " to be chained")
  self._last_lr = LRScheduler.values_of(self.optimizer, "lr")
end

function Chained:step()
  for _, scheduler in ipairs(self._schedulers) do scheduler:step() end
  self._last_lr = LRScheduler.values_of(self.optimizer, "lr")
end

return Chained
