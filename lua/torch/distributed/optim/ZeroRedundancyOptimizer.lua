-- distributed/optim/ZeroRedundancyOptimizer.lua: an optimizer whose states are spread over the ranks: each rank holds, and steps, the parameters
-- that fall to it, and broadcasts them (ZeRO, stage 1). Who has which parameter is PyTorch's rule.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local objects = torch._part "distributed.objects"
local join = torch._part "distributed.join"
local zero_parts = torch._part "distributed.zero_parts"
local partition, copy_options = zero_parts.partition, zero_parts.copy_options
local driver, fail = torch._distributed, support.fail
local Optimizer = torch.optim.Optimizer

local BROADCAST_BYTES = 25 << 20
local ONE_GROUP = "ZeroRedundancyOptimizer with `overlap_with_ddp=True` only supports a single parameter group"

--- ZeroRedundancyOptimizer(params, optimizer_class, {process_group =, parameters_as_bucket_view = false, overlap_with_ddp = false, ...}): other options
-- are those of optimizer_class. Gradients must be the same on all ranks, as DistributedDataParallel leaves them. overlap_with_ddp: steps are those of
-- a communication hook (torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook), not of step().
local Zero = Optimizer:extend "ZeroRedundancyOptimizer"

-- --- arguments ----------------------------------------------------------------------------------------------------

local NAMES = {"optimizer_class", "process_group", "parameters_as_bucket_view", "overlap_with_ddp"}

-- Returns the arguments after the first one by name, and the options of the optimizer class.
local function read(...)
  local given, arguments, defaults = table.pack(...), {}, {}
  local last = given[given.n]
  if support.is_plain(last) then
    for name, value in pairs(last) do defaults[name] = value end
    given.n = given.n - 1
  end
  for i, name in ipairs(NAMES) do
    arguments[name] = defaults[name]
    defaults[name] = nil
    if i <= given.n and given[i] ~= nil then arguments[name] = given[i] end
  end
  return arguments, defaults
end

-- Returns the parameters, or groups of them, as a list, and the parameters of all groups.
local function listed(params)
  if torch.is_tensor(params) or type(params) ~= "table" and type(params) ~= "function" then
    fail("TypeError", "`params` argument should be an iterable of Tensors%s, but got %s", torch.is_tensor(params) and "" or " or dicts",
      torch._python_type(params))
  end
  local list, all, tensors = {}, {}, 0
  if type(params) == "function" then
    for p in params do list[#list + 1] = p end
  else
    table.move(params, 1, #params, 1, list)
  end
  if #list == 0 then fail("ValueError", "ZeroRedundancyOptimizer got an empty parameter list") end
  for i, member in ipairs(list) do
    if torch.is_tensor(member) then
      tensors = tensors + 1
      all[#all + 1] = member
    elseif support.is_plain(member) and member.params ~= nil then
      local copy = {}
      for key, value in pairs(member) do copy[key] = value end
      copy.params = torch.is_tensor(member.params) and {member.params} or listed(member.params)
      list[i] = copy
      table.move(copy.params, 1, #copy.params, #all + 1, all)
    elseif support.is_plain(member) then
      fail("ValueError", "Each parameter group passed-in via `params` must have a 'params' key mapping to the parameters in the group")
    end
  end
  if tensors ~= 0 and tensors ~= #list or #all == 0 then fail("TypeError", "`params` argument should be an iterable of Tensors or dicts") end
  return list, all
end

-- --- partition ----------------------------------------------------------------------------------------------------

local function trainable(all)
  local mask = {}
  for i, p in ipairs(all) do mask[i] = p.requires_grad and "1" or "0" end
  return table.concat(mask)
end

-- Finds out what each rank broadcasts after a step.
local function plan_broadcasts(self)
  local _ <close> = torch.no_grad()
  self.sent, self.trainable = {}, trainable(self.all_params)
  for r, groups in ipairs(self.parts) do
    local params = {}
    for _, group in ipairs(groups) do table.move(group.params, 1, #group.params, #params + 1, params) end
    self.sent[r] = self.parameters_as_bucket_view and {} or params
    if self.parameters_as_bucket_view then zero_parts.flatten(params, self.sent[r]) end
  end
end

function Zero:init(params, ...)
  local a, defaults = read(...)
  if a.optimizer_class == nil then
    fail("TypeError", "ZeroRedundancyOptimizer.__init__() missing 1 required positional argument: 'optimizer_class'")
  end
  local list, all = listed(params)
  self.process_group = world.group_or_default(a.process_group)
  self.world_size, self.rank = self.process_group.count, self.process_group.own_rank
  self.parameters_as_bucket_view = a.parameters_as_bucket_view or false
  Optimizer.init(self, list, defaults)
  self.all_params = all
  if a.overlap_with_ddp then
    if #self.param_groups > 1 then fail("RuntimeError", ONE_GROUP) end
    self.overlap = {optimizer_class = a.optimizer_class, defaults = defaults}   -- filled by the hook (lua/parts/distributed/zero_overlap.lua)
    return
  end
  self.parts = partition(self.param_groups, self.world_size)
  self.optim = a.optimizer_class(self.parts[self.rank + 1], defaults)
  copy_options(self.optim.param_groups, self.param_groups)
  plan_broadcasts(self)
end

--- Adds a group of parameters; every rank calls it.
function Zero:add_param_group(param_group)
  if self.overlap then fail("RuntimeError", ONE_GROUP) end
  local known = #self.param_groups
  Optimizer.add_param_group(self, param_group)
  for _, p in ipairs(self.param_groups[known + 1].params) do self.all_params[#self.all_params + 1] = p end
  self.parts = partition(self.param_groups, self.world_size)
  self.optim:add_param_group(self.parts[self.rank + 1][known + 1])
  copy_options(self.optim.param_groups, self.param_groups)
  plan_broadcasts(self)
end

-- --- steps --------------------------------------------------------------------------------------------------------

-- Broadcasts each rank's parameters to all others.
local function broadcast(self)
  for r = 1, self.world_size > 1 and self.world_size or 0 do
    driver.broadcast_coalesced(self.process_group.handle, self.sent[r], BROADCAST_BYTES, r - 1)
  end
end

-- Steps this rank's parameters, and takes part in the broadcasts.
local function step(self, ...)
  if trainable(self.all_params) ~= self.trainable then plan_broadcasts(self) end
  copy_options(self.param_groups, self.optim.param_groups)
  local loss = self.optim:step(...)
  copy_options(self.optim.param_groups, self.param_groups)
  broadcast(self)
  return loss
end

--- Steps this rank's parameters, and receives the others'. Every rank calls it. Further arguments are those of the optimizer class.
function Zero:step(...)
  if self.overlap then return nil end
  join.notify(self)
  return step(self, ...)
end

-- While other ranks go on, this one steps with the last gradients that it has: PyTorch's rule.
function Zero:join_hook() return {main_hook = function() step(self) end, post_hook = function() end} end
function Zero:join_process_group() return self.process_group end
function Zero:join_device() return self.all_params[1].device end

-- --- states -------------------------------------------------------------------------------------------------------

-- Fails before the hook has found out which parameters this rank has.
local function check_parts(self)
  if not self.parts then
    fail("RuntimeError", "This method should not be called until this ZeroRedundancyOptimizer instance has been fully initialized")
  end
end

-- Returns a value with its tensors on the CPU.
local function on_cpu(value)
  if torch.is_tensor(value) then return value:cpu() end
  if not support.is_plain(value) then return value end
  local copy = {}
  for key, member in pairs(value) do copy[key] = on_cpu(member) end
  return copy
end

--- Gathers the states of all ranks on one of them, whose state_dict() then has them all. Every rank calls it.
function Zero:consolidate_state_dict(to)
  check_parts(self)
  if support.is_plain(to) then to = to.to end
  to = to or 0
  copy_options(self.param_groups, self.optim.param_groups)
  local gathered = to == self.rank and {} or nil
  objects.gather_object(on_cpu(self.optim:state_dict()), gathered, {group = self.process_group, group_dst = to})
  self.gathered = gathered
end

--- Returns the states of all parameters, numbered as one process numbers them.
function Zero:state_dict()
  check_parts(self)
  if not self.gathered then
    fail("RuntimeError", "Optimizer state has not been consolidated on this rank. Please call `consolidate_state_dict(to=%d)` on all ranks " ..
      "beforehand if you meant to save the global state.", self.rank)
  end
  local saved, numbers = self._base:state_dict(), {}
  for g, group in ipairs(self.param_groups) do
    for i, p in ipairs(group.params) do numbers[p] = saved.param_groups[g].params[i] end
  end
  for r, part in ipairs(self.gathered) do
    for g, group in ipairs(part.param_groups) do
      for i, number in ipairs(group.params) do
        local state = part.state[number]
        if state ~= nil then saved.state[numbers[self.parts[r][g].params[i]]] = state end
      end
    end
  end
  return saved
end

--- Takes this rank's part of the states of all parameters.
function Zero:load_state_dict(state_dict)
  check_parts(self)
  self._base:load_state_dict{state = {}, param_groups = state_dict.param_groups}
  local states = {}   -- by parameter
  for g, group in ipairs(self.param_groups) do
    for i, p in ipairs(group.params) do states[p] = state_dict.state[state_dict.param_groups[g].params[i]] end
  end
  local own = self.optim:state_dict()
  own.state = {}
  for g, group in ipairs(own.param_groups) do
    for i, number in ipairs(group.params) do own.state[number] = states[self.parts[self.rank + 1][g].params[i]] end
  end
  self.optim:load_state_dict(own)
  copy_options(self.param_groups, self.optim.param_groups)
end

return Zero
