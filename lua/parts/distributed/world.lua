-- distributed/world.lua: the groups of this context as objects, and the checks of arguments that all functions of torch.distributed
-- share. The groups themselves are in C: torch._distributed.
local torch = ...
local support = torch._part "support"
local driver, fail = torch._distributed, support.fail

local world = {
  NON_MEMBER = -100,   -- PyTorch's value for a group that this rank is not in
  default = nil,       -- the default group
  groups = {},         -- all living groups that this rank is in, in the order of their making
  made = 0,            -- groups made so far, those that this rank is not in as well
  numbers = nil,       -- once the default group was shrunk: C's ranks of the world, in the order of the ranks that are left
}

-- --- groups -----------------------------------------------------------------------------------------------------

local ProcessGroup = support.class("ProcessGroup", nil, "torch.distributed.distributed_c10d")
world.ProcessGroup = ProcessGroup

--- Returns C's numbers of ranks of the world.
function world.numbers_of(ranks)
  if not world.numbers then return ranks end
  local numbers = {}
  for i, rank in ipairs(ranks) do numbers[i] = world.numbers[rank + 1] end
  return numbers
end

-- Returns the ranks of the world that C's numbers stand for.
local function ranks_of(numbers)
  if not world.numbers then return numbers end
  local rank_of, ranks = {}, {}
  for i, number in ipairs(world.numbers) do rank_of[number] = i - 1 end
  for i, number in ipairs(numbers) do ranks[i] = rank_of[number] end
  return ranks
end

--- Makes the object of a group from its handle.
function ProcessGroup:init(handle)
  local rank, size, backend, name, description, ranks = driver.describe_group(handle)
  self.handle, self.ranks, self.backend = handle, ranks_of(ranks), backend
  self.own_rank, self.count = rank, size
  self.group_name, self.group_desc = name, description
end

function ProcessGroup:rank() return self.own_rank end
function ProcessGroup:size() return self.count end
function ProcessGroup:name() return self.backend end

--- Returns the object of a new group. nil is a group that this rank is not in.
function world.add(handle)
  world.made = world.made + 1
  if not handle then return world.NON_MEMBER end
  local group = ProcessGroup(handle)
  world.groups[#world.groups + 1] = group
  return group
end

--- Forgets a group that has ended.
function world.remove(group)
  for i, known in ipairs(world.groups) do
    if rawequal(known, group) then table.remove(world.groups, i) end
  end
end

--- Lets a group of ranks that are left take the place of the default one: its ranks are those of the world from now on.
function world.replace_default(group)
  world.numbers = world.numbers_of(group.ranks)
  group.ranks = ranks_of(world.numbers)
  world.default, world.groups = group, {group}
end

--- Returns true if a value is a group that lives.
function world.is_registered(group)
  for _, known in ipairs(world.groups) do
    if rawequal(known, group) then return true end
  end
  return false
end

function world.default_group()
  return world.default or torch._raise("ValueError",
    "Default process group has not been initialized, please make sure to call init_process_group.",
    'torch.distributed.init_process_group "gloo" comes first; tocha --nproc 2 script.lua starts two ranks and sets what it reads')
end

--- Returns the group of an argument: nil is the default one.
function world.group_or_default(group)
  if group == nil then return world.default_group() end
  if group == world.NON_MEMBER or world.is_registered(group) then return group end
  world.default_group()
  local ended = support.class_of(group) == ProcessGroup
  return torch._raise("ValueError", ended and "Invalid process group specified" or
    ("Process group %s is not initialized in the world group map. Please initialize the group first."):format(support.python(group)),
    ended and "destroy_process_group has ended it; make another one by new_group" or "a group is what new_group returns; nil is the default one")
end

--- Returns true, after a warning, if this rank is not in the group: the operation is then nothing.
function world.is_outside(group, name)
  if group ~= world.NON_MEMBER then return false end
  torch._warn(("Running %s on global rank %d which does not belong to the given group."):format(name, world.default_group().own_rank))
  return true
end

-- --- ranks ------------------------------------------------------------------------------------------------------

local function check_registered(group)
  if world.is_registered(group) then return end
  fail("ValueError", "Group %s is not registered, please create group with torch.distributed.new_group API", support.python(group))
end

--- Returns the rank in a group of a rank of the world.
function world.group_rank(group, global_rank)
  if group == nil or group == world.default then return global_rank end
  check_registered(group)
  for i, rank in ipairs(group.ranks) do
    if rank == global_rank then return i - 1 end
  end
  return torch._raise("ValueError", ("Global rank %s is not part of group %s"):format(support.python(global_rank), tostring(group)),
    ("the group has the ranks %s of the world"):format(table.concat(group.ranks, ", ")))
end

--- Returns the rank in the world of a rank of a group.
function world.global_rank(group, group_rank)
  if group == nil or group == world.default then return group_rank end
  check_registered(group)
  return group.ranks[group_rank + 1] or torch._raise("ValueError",
    ("Group rank %s is not part of group %s"):format(support.python(group_rank), tostring(group)),
    ("the group has %d ranks"):format(group.count))
end

--- Returns the rank in the group that one of two arguments names: a rank of the world, or one of the group.
function world.choose_rank(group, global_rank, group_rank)
  if group_rank ~= nil then
    if global_rank ~= nil then fail("ValueError", "Can't specify both group_rank and global_rank") end
    return group_rank
  end
  if global_rank == nil then fail("ValueError", "Must specify global_rank or group_rank") end
  if group == world.NON_MEMBER then return global_rank end
  return world.group_rank(group, global_rank)
end

--- Raises if a peer is this rank itself. kind: "source" or "destination".
function world.refuse_self(group, rank, kind)
  if group.own_rank ~= rank then return end
  torch._raise("ValueError", ("Invalid %s rank: %s rank should not be the same as the rank of the current process."):format(kind, kind),
    "a copy within a rank is y:copy_(x)")
end

-- --- tensors ----------------------------------------------------------------------------------------------------

--- Raises unless a value is a tensor.
function world.check_tensor(value, name)
  if torch.is_tensor(value) then return end
  fail("TypeError", "Invalid function argument. Expected parameter `%s` of type torch.Tensor\n             but got %s instead.", name,
    support.python_class(value))
end

--- Raises unless a value is a table of tensors.
function world.check_list(list, name)
  if not support.is_plain(list) then
    fail("TypeError", "Invalid function argument. Expected parameter `%s` of type List[torch.Tensor]\n             but got %s instead.", name,
      support.python_class(list))
  end
  local classes, only_tensors = {}, true
  for i, value in ipairs(list) do
    only_tensors = only_tensors and torch.is_tensor(value)
    classes[i] = support.python_class(value)
  end
  if only_tensors then return end
  fail("TypeError", "Invalid function argument. Expected parameter `%s` of type List[torch.Tensor]\n" ..
    "             but got <class 'list'> with elements of type [%s].", name, table.concat(classes, ", "))
end

--- Raises unless all tensors of the arguments (tensors, and tables of them) are of one dtype.
function world.check_dtypes(...)
  local first
  for _, argument in ipairs{...} do
    for _, tensor in ipairs(torch.is_tensor(argument) and {argument} or argument) do
      first = first or tensor.dtype
      if tensor.dtype ~= first then
        torch._raise("ValueError", ("Invalid usage of tensors with different dtypesFound %s and  %s"):format(tostring(first), tostring(tensor.dtype)),
          "all tensors of an operation have one dtype: x:to(y.dtype)")
      end
    end
  end
end

--- Returns the seconds of a timeout; nil stays nil.
function world.seconds(timeout)
  if timeout == nil or type(timeout) == "number" and timeout > 0 then return timeout end
  return torch._raise("TypeError", ("Expected timeout argument to be of type datetime.timedelta, got %s"):format(support.python(timeout)),
    "a timeout is a number of seconds above 0")
end

return world
