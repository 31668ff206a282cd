-- optim/lr_scheduler/CosineAnnealingWarmRestarts.lua: torch.optim.lr_scheduler.CosineAnnealingWarmRestarts (SGDR, Loshchilov and
-- Hutter 2017).
local torch = ...
local support = torch._part "support"
local fail, python = support.fail, torch._part "optim.support".repr
local LRScheduler = torch._part "torch.optim.lr_scheduler.LRScheduler"

local Restarts = support.class("CosineAnnealingWarmRestarts", LRScheduler, "torch.optim.lr_scheduler")
local rate = torch._part "schedules".CosineAnnealingWarmRestarts.rate
local read = torch._define "CosineAnnealingWarmRestarts.__init__(optimizer, Number T_0, T_mult=1, eta_min=0.0, last_epoch=-1)"

function Restarts:init(...)
  local a = read(...)
  if math.type(a.T_0) ~= "integer" or a.T_0 <= 0 then fail("ValueError", "Expected positive integer T_0, but got %s", python(a.T_0)) end
  if math.type(a.T_mult) ~= "integer" or a.T_mult < 1 then
    fail("ValueError", "Expected integer T_mult >= 1, but got %s", python(a.T_mult))
  end
  if type(a.eta_min) ~= "number" then
    fail("ValueError", "Expected float or int eta_min, but got %s of type %s", support.python(a.eta_min), support.python_class(a.eta_min))
  end
  self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = a.T_0, a.T_0, a.T_mult, a.eta_min, a.last_epoch
  LRScheduler.init(self, a.optimizer, a.last_epoch)
end

function Restarts:get_lr()
  self:check_within_step()
  return self:from_base(function(base) return rate(self, base, base) end)
end

-- Sets the position of an epoch, which may be a fraction, within its run.
function Restarts:place(epoch)
  if epoch < 0 then fail("ValueError", "Expected non-negative epoch, but got %s", python(epoch)) end
  if epoch < self.T_0 then
    self.T_i, self.T_cur = self.T_0, epoch
  elseif self.T_mult == 1 then
    self.T_cur = epoch % self.T_0
  else
    local n = math.floor(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1) / math.log(self.T_mult))
    self.T_cur = epoch - self.T_0 * (self.T_mult ^ n - 1) / (self.T_mult - 1)
    self.T_i = self.T_0 * math.tointeger(self.T_mult ^ n)
  end
end

function Restarts:step(epoch)
  epoch = LRScheduler.epoch_of(epoch)
  if epoch == nil and self.last_epoch < 0 then epoch = 0 end
  if epoch == nil then
    epoch = self.last_epoch + 1
    self.T_cur = self.T_cur + 1
    if self.T_cur >= self.T_i then
      self.T_cur = self.T_cur % self.T_i
      self.T_i = self.T_i * self.T_mult
    end
  else
    self:place(epoch)
  end
  self.last_epoch = math.floor(epoch)
  self._get_lr_called_within_step = true
  local values = self:get_lr()
  self._get_lr_called_within_step = false
  self:apply(values)
end

return Restarts
