-- distributed/groups.lua: torch.distributed's default group and others: their beginning and end, and questions about them.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local driver, fail, define = torch._distributed, support.fail, torch._define

local groups = {ProcessGroup = world.ProcessGroup}

-- --- the default group --------------------------------------------------------------------------------------------

-- Returns the device of init_process_group's device_id, a device or the number of a GPU.
local function device_of(device_id)
  if device_id == nil then return nil end
  local device = type(device_id) == "number" and torch.device("cuda", device_id) or torch.device(device_id)
  if device.index == nil then
    fail("ValueError", "init_process_group device_id parameter must be a device with a valid index, e.g. cpu:0 or cuda:0")
  end
  if device.type ~= "cuda" then return nil end
  local count = torch.cuda.device_count()
  if device.index >= count then
    fail("ValueError", "device_id %s is out of range. Please use a device index less than the number of accelerators available: %d.",
      tostring(device), count)
  end
  return device
end

local function check_backend(backend)
  if backend ~= nil and type(backend) ~= "string" then
    torch._raise("ValueError", "Backend constructor parameter must be string-ish", 'a backend is "gloo", "mpi", "nccl" or "cpu:gloo,cuda:nccl"')
  end
  if backend and backend:lower() == "nccl" and torch.cuda.device_count() == 0 then
    torch._raise("RuntimeError", "nccl2 requires at least one CUDA device", 'init_process_group "gloo" is for tensors of the CPU')
  end
end

-- Its help is in lua/help/texts/distributed.lua.
groups.init_process_group = define(
  "init_process_group(backend?, init_method?, timeout?, int world_size=-1, int rank=-1, store?, string group_name='', pg_options?, device_id?)",
  function(backend, init_method, timeout, world_size, rank, store, group_name, _, device_id)
    if world.default then
      torch._raise("ValueError", "trying to initialize the default process group twice!",
        "torch.distributed.destroy_process_group() ends the first one")
    end
    local device = device_of(device_id)
    check_backend(backend)
    timeout = world.seconds(timeout)
    if store ~= nil then
      if init_method ~= nil then fail("AssertionError", "Cannot specify both init_method and store.") end
      if world_size <= 0 then fail("AssertionError", "world_size must be positive if using store") end
      if rank < 0 then fail("AssertionError", "rank must be non-negative if using store") end
    end
    if init_method and init_method:find "^tcp://" and world_size <= 0 and rank >= 0 then   -- C takes a rank only with a world size
      init_method = ("%s%srank=%d"):format(init_method, init_method:find("?", 1, true) and "&" or "?", rank)
    end
    world.default = world.add(driver.init(backend or os.getenv "TOCHA_BACKEND", init_method, store, rank, world_size, timeout, group_name, device))
  end)

--- Ends a group, or all groups without one. No operation may be under way.
groups.destroy_process_group = define("destroy_process_group(group?)", function(group)
  if group == world.NON_MEMBER then return end
  if group == nil and not world.default then fail("AssertionError", "Process group cannot be None") end
  group = world.group_or_default(group)
  if group == world.default then
    world.default, world.groups, world.made, world.numbers = nil, {}, 0, nil
    return driver.end_all()
  end
  world.remove(group)
  driver.end_group(group.handle)
end)

--- Returns true once init_process_group has made the default group.
function groups.is_initialized() return world.default ~= nil end

--- The default group as group.WORLD; nil before init_process_group.
local function class_of_members(name)
  return setmetatable({}, {
    __index = function(_, key)
      if key == "WORLD" then return world.default end
      if key == "NON_GROUP_MEMBER" then return world.NON_MEMBER end
      fail("AttributeError", "type object '%s' has no attribute '%s'", name, tostring(key))
    end,
    __tostring = function() return ("<class 'torch.distributed.distributed_c10d.%s'>"):format(name) end,
  })
end
groups.group, groups.GroupMember = class_of_members "group", class_of_members "GroupMember"

-- --- other groups -------------------------------------------------------------------------------------------------

local function sorted_copy(ranks, sort)
  local copy = {}
  for i, rank in ipairs(ranks) do
    if math.type(rank) ~= "integer" then fail("TypeError", "ranks must be a sequence of integers") end
    copy[i] = rank
  end
  if sort then table.sort(copy) end
  return copy
end

-- Checks the ranks of a new group before the other ranks hear of it.
local function check_ranks(ranks)
  local size, seen = world.default_group().count, {}
  for _, rank in ipairs(ranks) do
    if seen[rank] then fail("ValueError", "ranks list must not contain duplicate entries, got %s", support.python(ranks)) end
    seen[rank] = true
  end
  if #ranks > size then
    fail("ValueError", "the new group's world size should be less or equal to the world size set by init_process_group")
  end
  for _, rank in ipairs(ranks) do
    if rank < 0 or rank >= size then
      fail("ValueError", "Rank %d is out of range. Valid ranks are 0 to %d (world_size=%d)", rank, size - 1, size)
    end
  end
end

-- Returns what each rank of the world gives: a table of integers of the same length, row for row.
local function gather(numbers)
  local own = torch.tensor(numbers, {dtype = torch.int64})
  local all = torch.zeros({world.default.count, #numbers}, {dtype = torch.int64})
  driver.all_gather_into_tensor(world.default.handle, false, all, own:view(1, #numbers))
  return all:tolist()
end

-- Raises on all ranks if they do not make the same group, which no later operation would notice: each of different groups of one rank works.
local function check_agreement(ranks)
  local default = world.default
  if default.count == 1 or default.backend == "nccl" or default.backend == "fake" then return end
  local hash, differs, longest = #ranks, false, 0
  for _, rank in ipairs(ranks) do hash = hash * 1000003 + rank end
  local all = gather{hash, #ranks}
  for _, row in ipairs(all) do
    differs = differs or row[1] ~= hash
    longest = math.max(longest, row[2])
  end
  if not differs then return end
  local padded = table.move(ranks, 1, #ranks, 1, {})
  for i = #ranks + 1, longest do padded[i] = -1 end
  local lines, other = {}, nil
  for rank, row in ipairs(gather(padded)) do
    local text = ("new_group({%s})"):format(table.concat(row, ", ", 1, all[rank][2]))
    other = other or rank > 1 and text ~= lines[1] and rank or nil
    lines[rank] = text
  end
  local message = ("Detected mismatch between collectives on ranks. Rank 0 is running collective: %s, but Rank %d is running collective: %s."):format(
    lines[1], other - 1, lines[other])
  for rank, text in ipairs(lines) do lines[rank] = ("  rank %d: %s"):format(rank - 1, text) end
  torch._raise("RuntimeError", message .. "\n" .. table.concat(lines, "\n"), "every rank of the world makes every group, also those that it is no member of")
end

-- Makes a group that its members alone make. Returns NON_GROUP_MEMBER on another rank, at once.
function groups._of_members(ranks, backend, timeout, group_desc)
  for _, rank in ipairs(ranks) do
    if rank == world.default.own_rank then
      return world.add(driver.new_group_of_members(world.numbers_of(ranks), backend, world.seconds(timeout), group_desc))
    end
  end
  return world.add(nil)
end

--- Makes a group of some ranks of the world (nil: all). Every rank of the world calls it, in the same order, also those that are no
-- members: they receive GroupMember.NON_GROUP_MEMBER. use_local_synchronization = true: the members alone call it.
groups.new_group = define("new_group(ranks?, timeout?, backend?, pg_options?, bool use_local_synchronization=false, group_desc?, device_id?, " ..
  "bool sort_ranks=true)", function(ranks, timeout, backend, _, use_local_synchronization, group_desc, _, sort_ranks)
  local default = world.default_group()
  check_backend(backend)
  if ranks ~= nil and type(ranks) ~= "table" then fail("TypeError", "ranks must be a sequence of integers") end
  ranks = sorted_copy(ranks or default.ranks, sort_ranks)
  check_ranks(ranks)
  if use_local_synchronization then return groups._of_members(ranks, backend, timeout, group_desc) end
  check_agreement(ranks)
  return world.add(driver.new_group(world.numbers_of(ranks), backend, world.seconds(timeout), group_desc))
end)

-- --- questions ----------------------------------------------------------------------------------------------------

--- Returns the rank of this process in a group: 0 and up; -1 if it is not in it.
groups.get_rank = define("get_rank(group?)", function(group)
  if group == world.NON_MEMBER then return -1 end
  world.default_group()
  return group == nil and world.default.own_rank or world.group_rank(group, world.default.own_rank)
end)

--- Returns the number of ranks in a group; -1 if this one is not in it.
groups.get_world_size = define("get_world_size(group?)", function(group)
  if group == world.NON_MEMBER then return -1 end
  return world.group_or_default(group).count
end)

local function member(group)
  group = world.group_or_default(group)
  if group == world.NON_MEMBER then fail("ValueError", "Invalid process group specified") end
  return group
end

--- Returns the name of a group's backend: "gloo".
groups.get_backend = define("get_backend(group?)", function(group) return member(group).backend end)

--- Returns the backend for each kind of device: "cpu:gloo,cuda:nccl".
groups.get_backend_config = define("get_backend_config(group?)", function(group)
  local backend = member(group).backend
  if backend == "undefined" then return "cpu:gloo,cuda:nccl" end
  if backend:find ":" then return backend end
  return backend == "nccl" and "cuda:nccl" or ("cpu:%s,cuda:%s"):format(backend, backend)
end)

--- Returns the rank in a group of a rank of the world.
groups.get_group_rank = define("get_group_rank(group, global_rank)", world.group_rank)

--- Returns the rank in the world of a rank of a group.
groups.get_global_rank = define("get_global_rank(group, group_rank)", world.global_rank)

--- Returns the ranks in the world of a group's members, in the order of their ranks in the group.
groups.get_process_group_ranks = define("get_process_group_ranks(group?)", function(group)
  return table.move(member(group).ranks, 1, member(group).count, 1, {})
end)

--- Returns the number of groups that were made.
function groups.get_pg_count() return world.made end

--- Sets the seconds that operations of a group wait for other ranks from now on.
groups.set_timeout = define("set_timeout(timeout, group?)", function(timeout, group)
  driver.set_timeout(member(group).handle, world.seconds(timeout))
end)

return groups
