-- optim/lr_scheduler/LRScheduler.lua: the base class of schedulers. A derived class has get_lr(), which returns a list of
-- learning rates, one for each group, for self.last_epoch.
local torch = ...
local support = torch._part "support"
local optim_support = torch._part "optim.support"
local fail = support.fail

local LRScheduler = support.class("LRScheduler", nil, "torch.optim.lr_scheduler")

local EPOCH_DEPRECATION_WARNING = "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. " ..
  "Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form is " ..
  "used instead of the new chainable form, where available. Please open an issue if you are unable to replicate your use case: " ..
  "https://github.com/pytorch/pytorch/issues/new/choose."
LRScheduler.EPOCH_DEPRECATION_WARNING = EPOCH_DEPRECATION_WARNING
local SEE = "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"

--- Fails if value is not an optimizer.
function LRScheduler.check_optimizer(value)
  local class = support.class_of(value)
  if class and value:isinstance(torch.optim.Optimizer) or torch._python_type(value) == "torch.optim.Optimizer" then return end
  fail("TypeError", "%s is not an Optimizer", class and class.__name or torch._python_type(value))
end

--- Returns the values that groups have under key.
function LRScheduler.values_of(optimizer, key)
  local values = {}
  for i, group in ipairs(optimizer.param_groups) do
    local value = group[key]
    values[i] = torch.is_tensor(value) and value:clone() or value
  end
  return values
end

--- Sets a value of a group; a tensor is filled with it.
function LRScheduler.set(group, key, value)
  local old = group[key]
  if torch.is_tensor(old) then old:fill_(value) else group[key] = value end
end

--- Returns a value for each group, from one for all or a list.
function LRScheduler.for_groups(name, optimizer, value)
  local n = #optimizer.param_groups
  if support.is_plain(value) then
    if #value ~= n then
      fail("ValueError", "%s must have the same length as optimizer.param_groups. %s has %d values, param_groups has %d.", name, name, #value, n)
    end
    return table.move(value, 1, n, 1, {})
  end
  local values = {}
  for i = 1, n do values[i] = value end
  return values
end

--- Returns f(lr, i, group) for each group's lr.
function LRScheduler:each(f)
  local values = {}
  for i, group in ipairs(self.optimizer.param_groups) do values[i] = f(group.lr, i, group) end
  return values
end
function LRScheduler:unchanged() return LRScheduler.values_of(self.optimizer, "lr") end
--- Returns each group's lr times factor.
function LRScheduler:times(factor) return self:each(function(lr) return lr * factor end) end
--- Returns f(base_lr) for each group's initial lr.
function LRScheduler:from_base(f)
  local values = {}
  for i, base in ipairs(self.base_lrs) do values[i] = f(base) end
  return values
end

-- --- steps of the optimizer ----------------------------------------------------------------------------------

local tracked = setmetatable({}, {__mode = "k"})   -- optimizer -> {step = the function that counts its steps, called = true after a step}

local function track(optimizer)
  if tracked[optimizer] then return end
  local notes, step = {called = false}, optimizer.step
  notes.step = function(...)
    notes.called = true
    return step(...)
  end
  optimizer.step = notes.step
  tracked[optimizer] = notes
end

local function check_order(optimizer)
  local notes = tracked[optimizer]
  if optimizer.step ~= notes.step and not optim_support.is_hooked(optimizer, "step") then
    torch._warn("Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure to " ..
      "call `optimizer.step()` before `lr_scheduler.step()`. See more details at " .. SEE)
  elseif not notes.called then
    torch._warn("Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in " ..
      "the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the " ..
      "first value of the learning rate schedule. See more details at " .. SEE)
  end
end

-- --- construction and steps ------------------------------------------------------------------------------------

local function begin(optimizer)
  for _, group in ipairs(optimizer.param_groups) do
    local lr = group.lr
    if group.initial_lr == nil then group.initial_lr = torch.is_tensor(lr) and lr:clone() or lr end
  end
end

local function resume(optimizer)
  for i, group in ipairs(optimizer.param_groups) do
    if group.initial_lr == nil then
      fail("KeyError", "param 'initial_lr' is not specified in param_groups[%d] when resuming scheduler with last_epoch >= 0.\n" ..
        "This typically happens when:\n1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer " ..
        "state\n2. You're using last_epoch >= 0 for a fresh training run (not recommended)", i - 1)
    end
  end
end

function LRScheduler:init(optimizer, last_epoch)
  last_epoch = last_epoch or -1
  LRScheduler.check_optimizer(optimizer)
  self.optimizer = optimizer
  if last_epoch == -1 then begin(optimizer) else resume(optimizer) end
  self.base_lrs = LRScheduler.values_of(optimizer, "initial_lr")
  self.last_epoch = last_epoch
  track(optimizer)
  self:initial_step()
end

function LRScheduler:initial_step()
  self._step_count, self._is_initial = 0, true
  self:step()
  self._is_initial = false
end

function LRScheduler.get_lr() return torch._raise("NotImplementedError", "") end

--- Warns if get_lr is called outside of step.
function LRScheduler:check_within_step()
  if not self._get_lr_called_within_step then
    torch._warn "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."
  end
end

function LRScheduler:get_last_lr() return self._last_lr end

--- Sets the learning rates of the groups.
function LRScheduler:apply(values)
  for i, group in ipairs(self.optimizer.param_groups) do LRScheduler.set(group, "lr", values[i]) end
  self._last_lr = LRScheduler.values_of(self.optimizer, "lr")
end

function LRScheduler:update_lr(epoch)
  self._get_lr_called_within_step = true
  self.last_epoch = epoch or self.last_epoch + 1
  local closed = epoch and self.get_closed_form_lr
  local values = closed and closed(self) or self:get_lr()
  self._get_lr_called_within_step = false
  self:apply(values)
end

local function epoch_of(epoch)
  if support.is_plain(epoch) then return epoch.epoch end
  return epoch
end
LRScheduler.epoch_of = epoch_of

function LRScheduler:step(epoch)
  epoch = epoch_of(epoch)
  if self._step_count == 1 then check_order(self.optimizer) end
  self._step_count = self._step_count + 1
  if epoch then torch._warn(EPOCH_DEPRECATION_WARNING) end
  self:update_lr(epoch)
end

-- --- state -----------------------------------------------------------------------------------------------------

--- Returns a scheduler's fields, without the optimizer and these fields.
function LRScheduler:fields_but(...)
  local state = {}
  for key, value in next, self do state[key] = value end
  state.optimizer = nil
  for _, key in ipairs{...} do state[key] = nil end
  return state
end
--- Returns the fields as a dict with another value for `field`, which contains functions. Functions are not part of a state; nil
-- is None.
function LRScheduler:fields_with(field, value)
  local entries = {}
  for key, known in next, self:fields_but(field) do entries[#entries + 1] = {key, known} end
  table.sort(entries, function(a, b) return a[1] < b[1] end)
  entries[#entries + 1] = {field, value}
  return torch.serialization.dict(entries)
end
function LRScheduler:load_fields_but(field, state_dict)
  local kept = self[field]
  LRScheduler.load_state_dict(self, state_dict)
  self[field] = kept
end
function LRScheduler:state_dict() return self:fields_but() end
function LRScheduler:load_state_dict(state_dict)
  if type(state_dict) ~= "table" then fail("TypeError", "'%s' object is not iterable", torch._python_type(state_dict)) end
  for key, value in pairs(state_dict) do self[key] = value end
end

return LRScheduler
