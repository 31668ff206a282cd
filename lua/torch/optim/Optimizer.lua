-- optim/Optimizer.lua: torch.optim.Optimizer, from which an optimizer of one's own is derived:
--
--   local Mine = torch.optim.Optimizer:extend "Mine"
--   function Mine:init(params, options)
--     torch.optim.Optimizer.init(self, params, {lr = options.lr or 0.1})
--   end
--   function Mine:step(closure)                 -- nothing is recorded here, but in the closure
--     local loss = closure and closure()
--     for _, group in ipairs(self.param_groups) do
--       for _, p in ipairs(group.params) do
--         if p.grad then p:sub_(group.lr * p.grad) end      -- self.state[p] is a table for whatever p needs
--       end
--     end
--     return loss
--   end
local torch = ...
local support = torch._part "support"
local optim_support = torch._part "optim.support"
local fail = support.fail

local Optimizer = support.class("Optimizer", nil, "torch.optim.optimizer")
for name, method in pairs(optim_support.methods) do Optimizer[name] = method end

-- --- construction -------------------------------------------------------------------------------------------

local function new_state()
  return setmetatable({}, {__index = function(state, p)
    local fresh = {}
    rawset(state, p, fresh)
    return fresh
  end})
end

-- Returns a step that does not record, but whose closure does.
local function unrecorded(step)
  return function(self, closure, ...)
    local _ <close> = torch.no_grad()
    local recorded = closure and function(...) return torch.enable_grad(closure, ...) end
    local loss = step(self, recorded, ...)
    if loss ~= nil then return loss end   -- no value, so that the prompt prints none
  end
end

--- Initializes an optimizer. params: as for every optimizer; defaults: the options of groups that do not set their own; names:
-- options that may be nil, for the printed form.
function Optimizer:init(params, defaults, names)
  self.defaults, self.option_names = defaults or {}, names or {}
  self._base = torch._optimizer_base(params, self.defaults, self.defaults.differentiable)
  self.state, self.param_groups = new_state(), self._base.param_groups
  self.step = unrecorded(self.step)
end

function Optimizer:add_param_group(param_group) self._base:add_param_group(param_group) end

function Optimizer:zero_grad(...) self._base:zero_grad(...) end

function Optimizer.step() return fail("NotImplementedError", "An Optimizer defines step(closure)") end

function Optimizer:__tostring()
  local class = support.class_of(self)
  return optim_support.describe(class.__name, self.param_groups, self.option_names)
end

-- --- state --------------------------------------------------------------------------------------------------

-- Returns the number that a state dict has for each parameter, by parameter, and the parameters by number.
local function numbering(self, saved_groups)
  local numbers, parameters = {}, {}
  for g, group in ipairs(self.param_groups) do
    for i, p in ipairs(group.params) do
      local number = saved_groups[g].params[i]
      numbers[p], parameters[number] = numbers[p] or number, p
    end
  end
  return numbers, parameters
end

function Optimizer:state_dict()
  local saved = self._base:state_dict()
  local numbers = numbering(self, saved.param_groups)
  for p, value in next, self.state do
    local key = numbers[p]
    if key == nil then key = p end
    saved.state[key] = value
  end
  return saved
end

local function cast(p, value, key)
  if torch.is_tensor(value) then
    if key == "step" then return value end
    if torch.is_floating_point(p) then return value:to{dtype = p.dtype, device = p.device} end
    return value:to{device = p.device}
  end
  if not support.is_plain(value) then return value end
  local copy = {}
  for k, v in pairs(value) do copy[k] = cast(p, v, k) end
  return copy
end

-- Fails if the saved groups lack an option of a class that names its options, or have a number instead of a list.
local function check_kind(self, saved)
  for g, group in ipairs(self.param_groups) do
    for _, name in ipairs(self.option_names) do
      local own, value = group[name], saved[g][name]
      if own ~= nil and value == nil then
        torch._raise("KeyError", name, ("the state dict is of another kind of optimizer: its groups have no %s, which %s needs"):format(name,
          support.class_of(self).__name))
      end
      if support.is_plain(own) and type(value) == "number" then
        fail("TypeError", "cannot unpack non-iterable %s object", torch._python_type(value))
      end
    end
  end
end

function Optimizer:load_state_dict(state_dict)
  local saved = type(state_dict) == "table" and state_dict.param_groups
  if type(saved) == "table" and #saved == #self.param_groups then check_kind(self, saved) end   -- before anything is changed
  self._base:load_state_dict(state_dict)
  local _, parameters = numbering(self, saved)
  local state = new_state()
  for key, value in pairs(state_dict.state) do
    local p = parameters[key]
    if p then state[p] = cast(p, value) else state[key] = value end
  end
  self.state = state
  if self.defaults.differentiable == nil then self.defaults.differentiable = false end
end

-- Returns a copy of the optimizer (torch.deepcopy). copy(value) copies its fields.
function Optimizer:__deepcopy(copy)
  local out, groups = {}, {}
  for key, value in next, self do
    if key ~= "_base" and key ~= "param_groups" then out[key] = copy(value) end
  end
  for g, group in ipairs(self.param_groups) do
    groups[g] = {}
    for key, value in pairs(group) do groups[g][key] = copy(value) end
  end
  out._base = torch._optimizer_base(groups, out.defaults, out.defaults.differentiable)
  out.param_groups = out._base.param_groups
  return setmetatable(out, getmetatable(self))
end

return Optimizer
