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

-- --- groups -------------------------------------------------------------------------------------------------

-- The tensors and names of params: a tensor, a list, a list of {name, tensor}, an iterator of either.
local function read_params(params)
  if torch.is_tensor(params) then return {params} end
  local tensors, names = {}, {}
  local function add(first, second)
    if type(first) == "string" then
      names[#names + 1] = first
      first = second
    elseif support.is_plain(first) and type(first[1]) == "string" then
      names[#names + 1] = first[1]
      first = first[2]
    end
    tensors[#tensors + 1] = first
  end
  if type(params) == "function" then
    for first, second in params do add(first, second) end
  else
    for _, value in ipairs(params) do add(value) end
  end
  if #names == 0 then return tensors end
  if #names ~= #tensors then
    fail("ValueError", "all optimizer params should be with/without names. Some param names are missing")
  end
  return tensors, names
end

local function typename(value)
  local class = support.class_of(value)
  if class then return ("%s.%s"):format(class.__module, class.__name) end
  return torch._python_type(value)
end

local function check_tensors(self, group)
  for _, p in ipairs(group.params) do
    if not torch.is_tensor(p) then
      fail("TypeError", "optimizer can only optimize Tensors, but one of the params is %s", typename(p))
    end
    if not self.defaults.differentiable and not (p.is_leaf or p.retains_grad) then
      fail("ValueError", "can't optimize a non-leaf Tensor")
    end
  end
end

local function check_apart(self, group)
  local own, duplicates = {}, false
  for _, p in ipairs(group.params) do
    duplicates = duplicates or own[p]
    own[p] = true
  end
  if duplicates then
    torch._warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; " ..
      "see github.com/pytorch/pytorch/issues/40967 for more information")
  end
  for _, other in ipairs(self.param_groups) do
    if (other.param_names ~= nil) ~= (group.param_names ~= nil) then
      fail("ValueError", "all optimizer param groups should be with/without names. cannot add param group %s to the optimizer",
        group.param_names and "with names" or "without names")
    end
    for _, p in ipairs(other.params) do
      if own[p] then fail("ValueError", "some parameters appear in more than one parameter group") end
    end
  end
end

function Optimizer:add_param_group(param_group)
  if not support.is_plain(param_group) then
    fail("TypeError", "param_group must be a dict, but got %s", support.python_class(param_group))
  end
  if param_group.params == nil then fail("KeyError", "'params'") end
  local group = {}
  for name, default in pairs(self.defaults) do group[name] = default end
  for name, value in pairs(param_group) do group[name] = value end
  group.params, group.param_names = read_params(param_group.params)
  check_tensors(self, group)
  check_apart(self, group)
  self.param_groups[#self.param_groups + 1] = group
end

-- --- construction -------------------------------------------------------------------------------------------

local function new_state()
  return setmetatable({}, {__index = function(state, p)
    local fresh = {}
    rawset(state, p, fresh)
    return fresh
  end})
end

-- A step without recording, whose closure records.
local function unrecorded(step)
  return function(self, closure, ...)
    local _ <close> = torch.no_grad()
    local recorded = closure and function(...) return torch.enable_grad(closure, ...) end
    local loss = step(self, recorded, ...)
    if loss ~= nil then return loss end   -- no value, where nothing is to be shown
  end
end

--- params: as for every optimizer; defaults: the options of groups that say nothing else; names: those that may be nil,
--- for the printed form.
function Optimizer:init(params, defaults, names)
  self.defaults, self.option_names = defaults or {}, names or {}
  self.state, self.param_groups = new_state(), {}
  self.step = unrecorded(self.step)
  if torch.is_tensor(params) then
    fail("TypeError", "params argument given to the optimizer should be an iterable of Tensors or dicts, but got %s", params:type())
  end
  if type(params) ~= "function" and not support.is_plain(params) then
    fail("TypeError", "'%s' object is not iterable", torch._python_type(params))
  end
  if type(params) == "table" and support.is_plain(params[1]) and params[1].params ~= nil then
    for _, group in ipairs(params) do self:add_param_group(group) end
    return
  end
  local tensors, tensor_names = read_params(params)
  if #tensors == 0 then fail("ValueError", "optimizer got an empty parameter list") end
  for i, name in ipairs(tensor_names or {}) do tensors[i] = {name, tensors[i]} end
  self:add_param_group{params = tensors}
end

function Optimizer.step() return fail("NotImplementedError", "An Optimizer defines step(closure)") end

function Optimizer:zero_grad(set_to_none)
  if type(set_to_none) == "table" then set_to_none = set_to_none.set_to_none end
  for _, group in ipairs(self.param_groups) do
    for _, p in ipairs(group.params) do
      if set_to_none ~= false then
        p.grad = nil
      elseif p.grad then
        p.grad:detach_():zero_()
      end
    end
  end
end

function Optimizer:__tostring()
  local class = support.class_of(self)
  return optim_support.describe(class.__name, self.param_groups, self.option_names)
end

-- --- state --------------------------------------------------------------------------------------------------

local counted = {__len = function(state)
  local n = 0
  for _ in next, state do n = n + 1 end
  return n
end}

function Optimizer:state_dict()
  local numbers, n, groups = {}, 0, {}
  for g, group in ipairs(self.param_groups) do
    local packed = {}
    for name, value in pairs(group) do packed[name] = value end
    packed.params = {}
    for i, p in ipairs(group.params) do
      numbers[p] = numbers[p] or n + i - 1
      packed.params[i] = numbers[p]
    end
    n = n + #group.params
    groups[g] = packed
  end
  local state = setmetatable({}, counted)
  for p, value in next, self.state do
    local key = numbers[p]
    if key == nil then key = p end
    state[key] = value
  end
  return {state = state, param_groups = groups}
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

local function deep_copy(value)
  if not support.is_plain(value) then return value end
  local copy = {}
  for k, v in pairs(value) do copy[k] = deep_copy(v) end
  return copy
end

-- The table in a field of a saved state.
local function part(saved, name)
  local plain = type(saved) == "table"
  local hint = type(saved) == "string" and "torch.load(path) reads a file" or "an optimizer's state_dict() has state and param_groups"
  if not plain and torch._python_type(saved) ~= "torch.OrderedDict" then
    torch._raise("AttributeError", ("'%s' object has no attribute 'copy'"):format(torch._python_type(saved)), hint)
  end
  local value = plain and saved[name]
  if value == nil or not plain then torch._raise("KeyError", name, hint) end
  if type(value) ~= "table" then fail("TypeError", "object of type '%s' has no len()", torch._python_type(value)) end
  return value
end

-- Raises if the saved groups lack an option of a class that names its options, or have a number instead of a list.
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
  local saved, groups, by_number = deep_copy(part(state_dict, "param_groups")), {}, {}
  if #saved ~= #self.param_groups then
    fail("ValueError", "loaded state dict has a different number of parameter groups")
  end
  for g, group in ipairs(self.param_groups) do
    if #part(saved[g], "params") ~= #group.params then
      fail("ValueError", "loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
    end
    for i, number in ipairs(saved[g].params) do by_number[number] = group.params[i] end
    groups[g] = saved[g]
    groups[g].params, groups[g].param_names = group.params, groups[g].param_names or group.param_names
  end
  check_kind(self, groups)
  local state = new_state()
  for key, value in pairs(part(state_dict, "state")) do
    local p = by_number[key]
    if p then state[p] = cast(p, value) else state[key] = value end
  end
  self.state, self.param_groups = state, groups
  if self.defaults.differentiable == nil then self.defaults.differentiable = false end
end

return Optimizer
