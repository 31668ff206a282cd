-- optim/lr_scheduler/init.lua: torch.optim.lr_scheduler: the schedulers with a closed formula. The others have files of their
-- own.
local torch = ...
local support = torch._part "support"
local fail, define = support.fail, torch._define
local LRScheduler = torch._part "torch.optim.lr_scheduler.LRScheduler"
local schedulers = {LRScheduler = LRScheduler, _LRScheduler = LRScheduler, EPOCH_DEPRECATION_WARNING = LRScheduler.EPOCH_DEPRECATION_WARNING}

-- Defines a class whose constructor takes (optimizer, arguments..., last_epoch=-1). check(arguments) fails if they are invalid;
-- the rest of `methods` are its methods.
local function scheduler(name, arguments, methods)
  local class = support.class(name, LRScheduler, "torch.optim.lr_scheduler")
  local read = define(("%s.__init__(optimizer, %s, last_epoch=-1)"):format(name, arguments))
  local check, get_lr = methods.check, methods.get_lr
  methods.check = nil
  function class:init(...)
    local values = read(...)
    if check then check(values, self) end
    for key, value in pairs(values) do
      if key ~= "last_epoch" then self[key] = value end
    end
    LRScheduler.init(self, values.optimizer, values.last_epoch)
  end
  for key, method in pairs(methods) do class[key] = method end
  function class:get_lr()
    self:check_within_step()
    return get_lr(self)
  end
  schedulers[name] = class
end

local cos, pi = math.cos, math.pi

-- --- functions of one's own ------------------------------------------------------------------------------------

local function check_lambdas(values)
  local n = #values.optimizer.param_groups
  local list = values.lr_lambda
  if not support.is_plain(list) then
    list = {}
    for i = 1, n do list[i] = values.lr_lambda end
  elseif #list ~= n then
    fail("ValueError", "Expected %d lr_lambdas, but got %d", n, #list)
  end
  for i = 1, n do
    if type(list[i]) == "string" or type(list[i]) == "number" then fail("TypeError", "'%s' object is not callable", torch._python_type(list[i])) end
  end
  values.lr_lambda, values.lr_lambdas = nil, table.move(list, 1, n, 1, {})
end

-- Omits the functions from a state.
local function state_dict(self) return self:fields_with("lr_lambdas", torch.serialization.list{n = #self.lr_lambdas}) end
local function load_state_dict(self, state) self:load_fields_but("lr_lambdas", state) end

scheduler("LambdaLR", "lr_lambda", {
  check = check_lambdas, state_dict = state_dict, load_state_dict = load_state_dict,
  get_lr = function(self)
    local values = {}
    for i, base in ipairs(self.base_lrs) do values[i] = base * self.lr_lambdas[i](self.last_epoch) end
    return values
  end,
})

local function is_callable(value)
  return type(value) == "function" or (getmetatable(value) or {}).__call ~= nil
end

scheduler("MultiplicativeLR", "lr_lambda", {
  check = function(values)
    check_lambdas(values)
    for _, f in ipairs(values.lr_lambdas) do
      if not is_callable(f) then fail("TypeError", "lr_lambda should be a function, but got %s", torch._python_type(f)) end
    end
  end,
  state_dict = state_dict, load_state_dict = load_state_dict,
  get_lr = function(self)
    if self._is_initial then return self:unchanged() end
    return self:each(function(lr, i) return lr * self.lr_lambdas[i](self.last_epoch) end)
  end,
})

-- --- steps -----------------------------------------------------------------------------------------------------

scheduler("StepLR", "Number step_size, gamma=0.1", {
  get_lr = function(self)
    if self.last_epoch == 0 or self.last_epoch % self.step_size ~= 0 then return self:unchanged() end
    return self:times(self.gamma)
  end,
  get_closed_form_lr = function(self)
    return self:from_base(function(base) return base * self.gamma ^ (self.last_epoch // self.step_size) end)
  end,
})

scheduler("MultiStepLR", "milestones, gamma=0.1", {
  check = function(values)
    local counts = {}   -- milestone -> number of occurrences
    support.check_numbers("MultiStepLR.__init__", "milestones", values.milestones)
    for _, epoch in ipairs(values.milestones) do counts[epoch] = (counts[epoch] or 0) + 1 end
    values.milestones = counts
  end,
  get_lr = function(self)
    local count = self.milestones[self.last_epoch]
    if not count then return self:unchanged() end
    return self:times(self.gamma ^ count)
  end,
  get_closed_form_lr = function(self)
    local passed = 0
    for epoch, count in pairs(self.milestones) do
      if epoch <= self.last_epoch then passed = passed + count end
    end
    return self:from_base(function(base) return base * self.gamma ^ passed end)
  end,
})

scheduler("ConstantLR", "factor=0.3333333333333333, total_iters=5", {
  check = function(values)
    if values.factor > 1.0 or values.factor < 0 then
      fail("ValueError", "Constant multiplicative factor expected to be between 0 and 1.")
    end
  end,
  get_lr = function(self)
    if self.last_epoch == 0 then return self:times(self.factor) end
    if self.last_epoch ~= self.total_iters then return self:unchanged() end
    return self:times(1.0 / self.factor)
  end,
  get_closed_form_lr = function(self)
    local passed = self.last_epoch >= self.total_iters and 1 or 0
    return self:from_base(function(base) return base * (self.factor + passed * (1 - self.factor)) end)
  end,
})

scheduler("LinearLR", "start_factor=0.3333333333333333, end_factor=1.0, total_iters=5", {
  check = function(values)
    if values.start_factor > 1.0 or values.start_factor <= 0 then
      fail("ValueError", "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
    end
    if values.end_factor > 1.0 or values.end_factor < 0 then
      fail("ValueError", "Ending multiplicative factor expected to be between 0 and 1.")
    end
  end,
  get_lr = function(self)
    if self.last_epoch == 0 then return self:times(self.start_factor) end
    if self._is_initial or self.last_epoch > self.total_iters then return self:unchanged() end
    local way = self.end_factor - self.start_factor
    return self:times(1.0 + way / (self.total_iters * self.start_factor + (self.last_epoch - 1) * way))
  end,
  get_closed_form_lr = function(self)
    local way = (self.end_factor - self.start_factor) * math.min(self.total_iters, self.last_epoch)
    return self:from_base(function(base) return base * (self.start_factor + way / self.total_iters) end)
  end,
})

-- --- curves ----------------------------------------------------------------------------------------------------

scheduler("ExponentialLR", "Number gamma", {
  get_lr = function(self) return self._is_initial and self:unchanged() or self:times(self.gamma) end,
  get_closed_form_lr = function(self)
    return self:from_base(function(base) return base * self.gamma ^ self.last_epoch end)
  end,
})

scheduler("PolynomialLR", "total_iters=5, power=1.0", {
  get_lr = function(self)
    if self._is_initial or self.last_epoch > self.total_iters then return self:unchanged() end
    local left, before = 1.0 - self.last_epoch / self.total_iters, 1.0 - (self.last_epoch - 1) / self.total_iters
    return self:times((left / before) ^ self.power)
  end,
  get_closed_form_lr = function(self)
    local left = 1.0 - math.min(self.total_iters, self.last_epoch) / self.total_iters
    return self:from_base(function(base) return base * left ^ self.power end)
  end,
})

local function cosine_from_base(self, angle)
  return self:from_base(function(base) return self.eta_min + (base - self.eta_min) * (1 + cos(angle)) / 2 end)
end

scheduler("CosineAnnealingLR", "Number T_max, eta_min=0.0", {
  get_lr = function(self)
    local epoch, eta, span = self.last_epoch, self.eta_min, self.T_max
    if self._is_initial then return self:unchanged() end
    if self._step_count == 1 and epoch > 0 then return cosine_from_base(self, epoch * pi / span) end
    if (epoch - 1 - span) % (2 * span) == 0 then
      return self:each(function(lr, i) return lr + (self.base_lrs[i] - eta) * (1 - cos(pi / span)) / 2 end)
    end
    return self:each(function(lr)
      return (1 + cos(pi * epoch / span)) / (1 + cos(pi * (epoch - 1) / span)) * (lr - eta) + eta
    end)
  end,
  get_closed_form_lr = function(self) return cosine_from_base(self, pi * self.last_epoch / self.T_max) end,
})

return torch._namespace(schedulers, "torch.optim.lr_scheduler")
