-- optim/lr_scheduler/init.lua: torch.optim.lr_scheduler: the schedulers with a closed formula. The others have files of their
-- own.
local torch = ...
local support = torch._part "support"
local fail, define = support.fail, torch._define
local LRScheduler = torch._part "torch.optim.lr_scheduler.LRScheduler"
local schedulers = {LRScheduler = LRScheduler, _LRScheduler = LRScheduler, EPOCH_DEPRECATION_WARNING = LRScheduler.EPOCH_DEPRECATION_WARNING}

-- Defines a class whose constructor takes (optimizer, arguments..., last_epoch=-1). prepare(arguments) fails if they are invalid;
-- the rest of `methods` are its methods.
local function scheduler(name, arguments, methods)
  local class = support.class(name, LRScheduler, "torch.optim.lr_scheduler")
  local read = define(("%s.__init__(optimizer, %s)"):format(name, arguments))
  local prepare, get_lr = methods.prepare, methods.get_lr
  methods.prepare = nil
  function class:init(...)
    local values = read(...)
    if prepare then prepare(values) end
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

scheduler("LambdaLR", "lr_lambda, last_epoch=-1", {
  prepare = check_lambdas, state_dict = state_dict, load_state_dict = load_state_dict,
  get_lr = function(self)
    local values = {}
    for i, base in ipairs(self.base_lrs) do values[i] = base * self.lr_lambdas[i](self.last_epoch) end
    return values
  end,
})

local function is_callable(value)
  return type(value) == "function" or (getmetatable(value) or {}).__call ~= nil
end

scheduler("MultiplicativeLR", "lr_lambda, last_epoch=-1", {
  prepare = function(values)
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

-- --- formulas ------------------------------------------------------------------------------------------------

-- Checks the milestones, and counts them: milestone -> number of occurrences.
local function count_milestones(values)
  local counts = {}
  support.check_numbers("MultiStepLR.__init__", "milestones", values.milestones)
  for _, epoch in ipairs(values.milestones) do counts[epoch] = (counts[epoch] or 0) + 1 end
  values.milestones = counts
end

-- Defines the class of an entry of the list of schedulers (runtime/optim/schedulers.lua), which has the formulas.
local function from_list(name, prepare)
  local entry = torch._part "schedules"[name]
  local rate, closed, refuse = entry.rate, entry.closed, entry.refuse
  scheduler(name, entry.arguments, {
    prepare = function(values)
      local problem = refuse and refuse(values)
      if problem then fail("ValueError", "%s", problem) end
      if prepare then prepare(values) end
    end,
    get_lr = function(self)
      local values = self:unchanged()
      for i, lr in ipairs(values) do values[i] = rate(self, lr, self.base_lrs[i]) end
      return values
    end,
    get_closed_form_lr = function(self)
      return self:from_base(function(base) return closed(self, base, base) end)
    end,
  })
end

from_list "StepLR"
from_list("MultiStepLR", count_milestones)
for _, name in ipairs{"ConstantLR", "LinearLR", "ExponentialLR", "PolynomialLR", "CosineAnnealingLR"} do from_list(name) end

return torch._namespace(schedulers, "torch.optim.lr_scheduler")
