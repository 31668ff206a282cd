-- optim/lr_scheduler/joined.lua: functions that SequentialLR and ChainedScheduler, which are made of schedulers, share.
local torch = ...
local support = torch._part "support"
local fail = support.fail
local LRScheduler = torch._part "torch.optim.lr_scheduler.LRScheduler"

local Joined = support.class("Joined", LRScheduler, "torch.optim.lr_scheduler")

local function describe(value)
  local class = support.class_of(value)
  return class and class.__name or tostring(value):match "^(%w+)"
end

function Joined:check(schedulers, optimizer, purpose)
  local name = support.class_of(self).__name
  if #schedulers < 1 then fail("ValueError", "%s expects at least one scheduler%s, but got no scheduler.", name, purpose) end
  optimizer = optimizer or schedulers[1].optimizer
  for i, scheduler in ipairs(schedulers) do
    local class = support.class_of(scheduler)
    if not class or scheduler.optimizer == nil then
      fail("TypeError", "%s at index %d should have `optimizer` as its attribute.", name, i - 1)
    end
    if scheduler:isinstance(torch.optim.lr_scheduler.ReduceLROnPlateau) then
      fail("ValueError", "%s does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified when calling " ..
        "`step`, but got one at index %d in the given schedulers sequence.", name, i - 1)
    end
    if optimizer ~= scheduler.optimizer then
      fail("ValueError", "%s expects all schedulers to belong to the same optimizer, but got scheduler %s at index %d has %s, which is " ..
        "different from %s.", name, class.__name, i - 1, tostring(scheduler.optimizer), describe(optimizer))
    end
  end
  self._schedulers, self.optimizer = schedulers, optimizer
end

function Joined:state_dict()
  local state = self:fields_but "_schedulers"
  state._schedulers = {}
  for i, scheduler in ipairs(self._schedulers) do state._schedulers[i] = scheduler:state_dict() end
  return state
end

function Joined:load_state_dict(state_dict)
  for key, value in pairs(state_dict) do
    if key ~= "_schedulers" then self[key] = value end
  end
  for i, state in ipairs(state_dict._schedulers) do self._schedulers[i]:load_state_dict(state) end
end

return Joined
