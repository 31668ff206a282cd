-- distributed/subgroups.lua: groups that divide others, or take their place: new_subgroups, split_group, shrink_group.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local groups = torch._part "distributed.groups"
local driver, fail, define = torch._distributed, support.fail, torch._define

local subgroups = {}

-- Makes a group of each list of ranks of the world. Returns this rank's own group, or nil, and all of them.
local function make(lists, options)
  local own, all = nil, {}
  for i, ranks in ipairs(lists) do
    all[i] = groups.new_group(ranks, options)
    for _, rank in ipairs(ranks) do
      if rank == world.default.own_rank then own = all[i] end
    end
  end
  return own, all
end

--- Divides a group into groups of group_size ranks that follow one another. Returns this rank's group, and the table of all.
subgroups.new_subgroups = define("new_subgroups(group_size?, group?, timeout?, backend?, pg_options?, group_desc?)",
  function(group_size, group, timeout, backend, _, group_desc)
    local parent = world.group_or_default(group)
    if group_size == nil then
      if not torch.cuda.is_available() then
        fail("ValueError", "Default group size only takes effect when CUDA/XPU is available.If your subgroup using a backend that does not " ..
          "depend on CUDA/XPU,please pass in 'group_size' correctly.")
      end
      group_size = torch.cuda.device_count()
    end
    if group_size <= 0 then fail("ValueError", "The arg 'group_size' (%d) must be positive", group_size) end
    if parent.count < group_size then
      fail("ValueError", "The arg 'group_size' (%d) must not exceed the world size (%d)", group_size, parent.count)
    end
    if parent.count % group_size ~= 0 then
      fail("ValueError", "The world size (%d) must be divisible by 'group_size=%d'", parent.count, group_size)
    end
    local lists = {}
    for first = 1, parent.count, group_size do
      lists[#lists + 1] = table.move(parent.ranks, first, first + group_size - 1, 1, {})
    end
    return make(lists, {timeout = timeout, backend = backend, group_desc = group_desc})
  end)

--- Makes a group of each table of ranks; no rank is in two. Returns this rank's group, and the table of all.
subgroups.new_subgroups_by_enumeration = define("new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout?, backend?, pg_options?, group_desc?)",
  function(lists, timeout, backend, _, group_desc)
    if lists == nil or #lists == 0 then fail("ValueError", "The arg 'ranks_per_subgroup_list' cannot be empty") end
    world.default_group()
    local list_of = {}
    for _, ranks in ipairs(lists) do
      for _, rank in ipairs(ranks) do
        if list_of[rank] then
          fail("ValueError", "Rank %d has appeared in both subgroup %s and %s", rank, support.python(list_of[rank]), support.python(ranks))
        end
        list_of[rank] = ranks
      end
    end
    return make(lists, {timeout = timeout, backend = backend, group_desc = group_desc})
  end)

-- Raises if a list of ranks of the parent group is no group.
local function check_split(ranks, parent)
  if #ranks == 0 then fail("ValueError", "the split group cannot be empty") end
  if #ranks > world.default.count then
    fail("ValueError", "the split group's size should be less or equal to the world_size set by init_process_group")
  end
  local seen = {}
  for _, rank in ipairs(ranks) do
    if seen[rank] then fail("ValueError", "the split group cannot have duplicate ranks") end
    seen[rank] = true
    world.global_rank(parent, rank)
  end
end

-- Makes this rank's part of a group, whose ranks split_ranks counts. Only the members of a part make it.
local function split_among_members(split_ranks, parent, options)
  for _, part in ipairs(split_ranks) do
    local ranks, is_member = {}, false
    for i, rank in ipairs(part) do
      ranks[i] = world.global_rank(parent, rank)
      is_member = is_member or ranks[i] == world.default.own_rank
    end
    if is_member then
      options.use_local_synchronization = true
      return groups.new_group(ranks, options)
    end
  end
end

-- Makes this rank's part of a group, and gives it a part of the parent's connections to GPUs, if they can be divided.
local function split(parent, split_ranks, options)
  local child
  if parent == world.default then
    child = make(split_ranks, options)
  else
    child = split_among_members(split_ranks, parent, options)
  end
  driver.divide_group(parent.handle, split_ranks, child and child.handle)
  return child or world.NON_MEMBER
end

--- Divides a group: split_ranks is a table of tables of its ranks, in the order of their new ones. All ranks of the group call it. Returns this
-- rank's new group, or GroupMember.NON_GROUP_MEMBER.
subgroups.split_group = define("split_group(parent_pg?, split_ranks?, timeout?, pg_options?, group_desc?, backend?)",
  function(parent, split_ranks, timeout, _, group_desc, backend)
    if split_ranks == nil or #split_ranks == 0 then fail("ValueError", "split_ranks cannot be None or empty") end
    parent = world.group_or_default(parent)
    if parent == world.NON_MEMBER then
      fail("ValueError", "Global rank %d is not part of the parent group %s", world.default.own_rank, support.python(parent))
    end
    for _, ranks in ipairs(split_ranks) do check_split(ranks, parent) end
    if not backend and parent ~= world.default and parent.backend ~= "undefined" then backend = parent.backend end
    parent.splits = (parent.splits or -1) + 1
    return split(parent, split_ranks, {timeout = timeout, backend = backend, sort_ranks = false,
      group_desc = group_desc or ("%s:split:%d"):format(parent.group_desc, parent.splits)})
  end)

-- --- shrinking ------------------------------------------------------------------------------------------------------------

--- Values of shrink_group's shrink_flags.
subgroups.SHRINK_DEFAULT, subgroups.SHRINK_ABORT = 0, 1

local function check_shrink(ranks_to_exclude, flags)
  if type(ranks_to_exclude) ~= "table" then
    fail("TypeError", "ranks_to_exclude must be a list, but got %s. Example: [1, 3, 5] to exclude ranks 1, 3, and 5.", torch._python_type(ranks_to_exclude))
  end
  if #ranks_to_exclude == 0 then
    fail("ValueError", "ranks_to_exclude cannot be empty. To shrink a group, you must specify at least one rank to exclude. Example: [failed_rank_id]")
  end
  if flags ~= subgroups.SHRINK_DEFAULT and flags ~= subgroups.SHRINK_ABORT then
    fail("ValueError", "Invalid shrink_flags value: %s. Must be one of: SHRINK_DEFAULT (0) or SHRINK_ABORT (1). " ..
      "Use SHRINK_ABORT to abort ongoing operations before shrinking.", support.python(flags))
  end
end

-- Returns the set of the ranks of a group that are to leave it.
local function check_excluded(list, group)
  local excluded = {}
  for i, rank in ipairs(list) do
    if math.type(rank) ~= "integer" then
      fail("TypeError", "All elements in ranks_to_exclude must be integers. Element at index %d is %s: %s", i - 1, torch._python_type(rank),
        support.python(rank))
    elseif rank < 0 or rank >= group.count then
      fail("ValueError", "Rank %d at index %d is out of bounds for group size %d. Valid ranks are in range [0, %d].", rank, i - 1, group.count,
        group.count - 1)
    elseif excluded[rank] then
      fail("ValueError", "Duplicate rank %d found in ranks_to_exclude at index %d. Each rank can only be excluded once.", rank, i - 1)
    end
    excluded[rank] = true
  end
  if #list >= group.count then
    fail("ValueError", "Cannot exclude all %d ranks from process group. At least one rank must remain. Excluding %d ranks.", group.count, #list)
  end
  if excluded[group.own_rank] then
    fail("RuntimeError", "Current rank %d is in the exclusion list and should not call shrink_group(). Only non-excluded ranks should " ..
      "participate in the shrinking operation. Excluded ranks should terminate their processes instead.", group.own_rank)
  end
  return excluded
end

local function moves_gpus(group)
  return torch.cuda.is_available() and groups.get_backend_config(group):find("cuda:nccl", 1, true) ~= nil
end

-- Ends all groups but the default one, whose ranks they count.
local function abort_others(default)
  local names = {}
  for i = #world.groups, 1, -1 do
    local group = world.groups[i]
    if not rawequal(group, default) then
      table.insert(names, 1, group.group_name)
      table.remove(world.groups, i)
      driver.abort_group(group.handle, false)
    end
  end
  if #names == 0 then return end
  torch._warn(("Shrinking default group will destroy %d other process groups: %s. This is necessary because shrinking the default group reassigns " ..
    "global ranks, making existing groups inconsistent."):format(#names, table.concat(names, ", ")))
end

--- Makes a group without some of a group's ranks, which takes its place; the ranks that are left call it, also after the death of the others. A
-- group that replaces the default one counts the ranks of the world anew, and ends all other groups. shrink_flags = SHRINK_ABORT: operations that
-- run are given up. It is for groups with nccl, as PyTorch's.
subgroups.shrink_group = define("shrink_group(ranks_to_exclude, group?, shrink_flags=0, pg_options?)", function(ranks_to_exclude, group, flags)
  check_shrink(ranks_to_exclude, flags)
  group = world.group_or_default(group)
  if group == world.NON_MEMBER then fail("ValueError", "Invalid process group specified") end
  if group.count <= 1 then
    fail("ValueError", "Cannot shrink a process group with size %d. Group must have at least 2 ranks to support shrinking.", group.count)
  end
  if not moves_gpus(group) then
    torch._raise("TypeError", ("Process group backend for '%s' does not support shrinking operations."):format(group.group_name),
      "new_group(ranks, {use_local_synchronization = true}) makes a group of those that are left; they alone call it")
  end
  local excluded, left, is_default = check_excluded(ranks_to_exclude, group), {}, rawequal(group, world.default)
  for i, rank in ipairs(group.ranks) do
    if not excluded[i - 1] then left[#left + 1] = rank end
  end
  if is_default then abort_others(group) end
  local backend = group.backend ~= "undefined" and group.backend or nil
  local smaller = groups._of_members(left, backend, nil, is_default and "default:shrunken" or group.group_name .. ":shrunk")
  driver.abort_group(group.handle, flags ~= subgroups.SHRINK_ABORT)
  world.remove(group)
  if is_default then world.replace_default(smaller) end
  return smaller
end)

return subgroups
