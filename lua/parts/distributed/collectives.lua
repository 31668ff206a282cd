-- distributed/collectives.lua: the collectives of torch.distributed: every rank of a group calls the same one.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local facts = torch._part "distributed.facts"
local Work = torch._part "distributed.work".Work
local driver, fail, define = torch._distributed, support.fail, torch._define

local collectives = {Work = Work}

-- Operations that a block of _coalescing_manager collects, by the name in C.
local COLLECTED = {all_reduce = true, all_gather_into_tensor = true, reduce_scatter_tensor = true}

-- The Work of an operation that was collected: of no use.
local IllegalWork = setmetatable({}, {
  __index = function(_, name) return function() fail("ValueError", "Illegal to call %s on IllegalWork object", name) end end,
})

-- Runs an operation of C. Returns its Work if it goes on after the call.
local function run(name, group, async_op, outputs, ...)
  if group.collected and COLLECTED[name] then
    group.collected[#group.collected + 1] = {name = name, outputs = outputs, ...}
    return async_op and IllegalWork or nil
  end
  local handle = driver[name](group.handle, async_op, ...)
  if async_op then return Work(group, {handle}, outputs) end
end

-- The dtypes of whole numbers as PyTorch's C++ names them.
local WHOLE = {bool = "Bool", uint8 = "Byte", int8 = "Char", int16 = "Short", int32 = "Int", int64 = "Long"}

-- Returns the number in C of a reduction of a tensor; nil is SUM.
local function number_of(op, tensor, group)
  if op == nil then return 0 end
  local whole = WHOLE[tostring(tensor.dtype):match "%w+$"]
  if op == facts.ReduceOp.AVG and whole and group.backend ~= "nccl" then
    torch._raise("RuntimeError", "result type Float can't be cast to the desired output type " .. whole,
      "a mean of whole numbers is a fraction: x:float() first, or ReduceOp.SUM")
  end
  return facts._number_of(op)
end
collectives._number_of = number_of

-- Raises unless a table has a tensor, or a number, for each rank. The message has the table's length first, then the group's size, or the
-- other way round.
local function check_count(list, group, message, size_first)
  local length, size = #list, group.count
  if length == size then return end
  if size_first then length, size = size, length end
  torch._raise("RuntimeError", message:find("%d", 1, true) and message:format(length, size) or message,
    ("the group has %d ranks: one for each of them"):format(group.count))
end

-- --- one tensor on each rank ------------------------------------------------------------------------------------------

--- Reduces a tensor over all ranks, in place: each has the result. op: ReduceOp.SUM and so on. async_op = true returns a Work at once.
collectives.all_reduce = define("all_reduce(tensor, op?, group?, bool async_op=false)", function(tensor, op, group, async_op)
  world.check_tensor(tensor, "tensor")
  group = world.group_or_default(group)
  if world.is_outside(group, "all_reduce") then return end
  return run("all_reduce", group, async_op, {tensor}, tensor, number_of(op, tensor, group))
end)

--- Copies a tensor of rank src (group_src: a rank of the group) to all ranks, in place.
collectives.broadcast = define("broadcast(tensor, src?, group?, bool async_op=false, group_src?)", function(tensor, src, group, async_op, group_src)
  group = world.group_or_default(group)
  local root = world.choose_rank(group, src, group_src)
  world.check_tensor(tensor, "tensor")
  if world.is_outside(group, "broadcast") then return end
  return run("broadcast", group, async_op, {tensor}, tensor, root)
end)

--- Reduces a tensor over all ranks to rank dst, in place. The tensors of other ranks may hold partial results afterwards.
collectives.reduce = define("reduce(tensor, dst?, op?, group?, bool async_op=false, group_dst?)",
  function(tensor, dst, op, group, async_op, group_dst)
    group = world.group_or_default(group)
    local root = world.choose_rank(group, dst, group_dst)
    world.check_tensor(tensor, "tensor")
    if world.is_outside(group, "reduce") then return end
    return run("reduce", group, async_op, {tensor}, tensor, root, number_of(op, tensor, group))
  end)

--- Waits until all ranks of a group are here. timeout: seconds, the group's by default.
collectives.barrier = define("barrier(group?, bool async_op=false, device_ids?, timeout?)", function(group, async_op, device_ids, timeout)
  timeout = world.seconds(timeout)
  group = world.group_or_default(group)
  if world.is_outside(group, "barrier") then return end
  if device_ids ~= nil and not support.is_plain(device_ids) then
    fail("TypeError", "Invalid function argument: device_ids type should be List[int]")
  end
  local work = run("barrier", group, async_op or timeout ~= nil, {})
  if async_op then return work end
  if work then work:wait(timeout) end
end)

--- Waits until all ranks of a group are here. After timeout seconds, rank 0 names one that is missing; all of them with wait_all_ranks.
collectives.monitored_barrier = define("monitored_barrier(group?, timeout?, bool wait_all_ranks=false)",
  function(group, timeout, wait_all_ranks)
    timeout = world.seconds(timeout)
    if group == world.NON_MEMBER then return world.is_outside(group, "monitored_barrier") and nil end
    group = world.group_or_default(group)
    if group.backend == "nccl" or group.backend == "cuda:nccl" then
      fail("ValueError", "monitored_barrier requires a group with a CPU-capable backend (e.g. GLOO).")
    end
    driver.monitored_barrier(group.handle, timeout or 0, wait_all_ranks)
  end)

-- --- a tensor for each rank -------------------------------------------------------------------------------------------

--- Copies each rank's tensor into the tensors of a table, one for each rank in order, on all ranks.
collectives.all_gather = define("all_gather(tensor_list, tensor, group?, bool async_op=false)", function(tensor_list, tensor, group, async_op)
  world.check_list(tensor_list, "tensor_list")
  world.check_tensor(tensor, "tensor")
  world.check_dtypes(tensor_list, tensor)
  group = world.group_or_default(group)
  if world.is_outside(group, "all_gather") then return end
  check_count(tensor_list, group, "ProcessGroupGloo::allgather: invalid output tensor list at index 0 (expected length %d, got %d)", true)
  return run("all_gather", group, async_op, tensor_list, tensor_list, tensor)
end)

local function all_gather_into(name)
  return function(output, input, group, async_op)
    world.check_tensor(input, "input_tensor")
    world.check_tensor(output, "output_tensor")
    world.check_dtypes(output, input)
    group = world.group_or_default(group)
    if world.is_outside(group, name) then return end
    return run("all_gather_into_tensor", group, async_op, {output}, output, input)
  end
end

--- Copies each rank's tensor into one tensor on all ranks: their rows one after the other, or a row for each rank.
collectives.all_gather_into_tensor = define("all_gather_into_tensor(output_tensor, input_tensor, group?, bool async_op=false)",
  all_gather_into "all_gather_into_tensor")
--- The same as all_gather_into_tensor.
collectives.all_gather_single = define("all_gather_single(output_tensor, input_tensor, group?, bool async_op=false)",
  all_gather_into "all_gather_single")

-- Returns the rank in the group that receives or sends; the first one if none is named.
local function root_of(group, rank, group_rank)
  if rank == nil and group_rank == nil then return 0 end
  return world.choose_rank(group, rank, group_rank)
end

-- Raises unless exactly the root has a list.
local function check_root_list(is_root, list, name, side)
  if is_root and not list then
    torch._raise("ValueError", ("Argument ``%s`` must be specified on %s rank."):format(name, side), "it has a tensor for each rank of the group")
  elseif not is_root and list and #list > 0 then
    fail("ValueError", "Argument ``%s`` must NOT be specified on non-%s ranks.", name, side)
  end
end

--- Copies each rank's tensor to rank dst, into the tensors of gather_list, which only that rank gives.
collectives.gather = define("gather(tensor, gather_list?, dst?, group?, bool async_op=false, group_dst?)",
  function(tensor, gather_list, dst, group, async_op, group_dst)
    world.check_tensor(tensor, "tensor")
    if gather_list == false then gather_list = nil end
    if gather_list then world.check_list(gather_list, "gather_list") end
    world.check_dtypes(tensor, gather_list or {})
    group = world.group_or_default(group)
    if world.is_outside(group, "gather") then return end
    local root = root_of(group, dst, group_dst)
    local is_root = root == group.own_rank
    check_root_list(is_root, gather_list, "gather_list", "destination")
    if is_root then
      check_count(gather_list, group, "ProcessGroupGloo::gather: Incorrect output list size %d. Output list size should be %d, same as size " ..
        "of the process group.")
    end
    return run("gather", group, async_op, gather_list or {}, is_root and gather_list or nil, tensor, root)
  end)

-- Returns the parts of a tensor that receive the ranks' tensors: its rows, or groups of rows.
local function parts_of(whole, part, group, name)
  if whole:numel() ~= group.count * part:numel() then
    torch._raise("ValueError", ("%s: gather_tensor has %d elements, but %d ranks with %d elements each have %d"):format(name, whole:numel(),
      group.count, part:numel(), group.count * part:numel()), "its shape is that of the tensor, with group size times as many rows")
  end
  return whole:view({group.count, part.shape:unpack()}):unbind(0)
end

local function gather_into(name)
  return function(tensor, gather_tensor, dst, group, async_op, group_dst)
    world.check_tensor(tensor, "tensor")
    group = world.group_or_default(group)
    if world.is_outside(group, name) then return end
    local root = root_of(group, dst, group_dst)
    local rows
    if root == group.own_rank then
      if gather_tensor == nil then fail("ValueError", "gather_tensor must be specified on the destination rank") end
      world.check_tensor(gather_tensor, "gather_tensor")
      world.check_dtypes(tensor, gather_tensor)
      rows = parts_of(gather_tensor, tensor, group, name)
    end
    return run("gather", group, async_op, {gather_tensor}, rows, tensor, root)
  end
end

--- Copies each rank's tensor to rank dst, into one tensor: their rows one after the other.
collectives.gather_single = define("gather_single(tensor, gather_tensor?, dst?, group?, bool async_op=false, group_dst?)", gather_into "gather_single")
--- The same as gather_single.
collectives.gather_into_tensor = define("gather_into_tensor(tensor, gather_tensor?, dst?, group?, bool async_op=false, group_dst?)",
  gather_into "gather_into_tensor")

--- Copies the tensors of scatter_list, which only rank src gives, to the ranks: each receives its own.
collectives.scatter = define("scatter(tensor, scatter_list?, src?, group?, bool async_op=false, group_src?)",
  function(tensor, scatter_list, src, group, async_op, group_src)
    world.check_tensor(tensor, "tensor")
    if scatter_list then world.check_list(scatter_list, "scatter_list") end
    world.check_dtypes(tensor, scatter_list or {})
    group = world.group_or_default(group)
    if world.is_outside(group, "scatter") then return end
    local root = root_of(group, src, group_src)
    local is_root = root == group.own_rank
    check_root_list(is_root, scatter_list, "scatter_list", "source")
    if is_root then
      check_count(scatter_list, group, "ProcessGroupGloo::scatter: Incorrect input list size %d. Input list size should be %d, same as size " ..
        "of the process group.")
    end
    return run("scatter", group, async_op, {tensor}, tensor, is_root and scatter_list or nil, root)
  end)

--- Reduces the tensors of a table over all ranks: each rank receives the result of its own place.
collectives.reduce_scatter = define("reduce_scatter(output, input_list, op?, group?, bool async_op=false)",
  function(output, input_list, op, group, async_op)
    world.check_tensor(output, "output")
    world.check_list(input_list, "input_list")
    world.check_dtypes(output, input_list)
    group = world.group_or_default(group)
    if world.is_outside(group, "reduce_scatter") then return end
    check_count(input_list, group, "invalid input tensor list size, must be world size")
    return run("reduce_scatter", group, async_op, {output}, output, input_list, number_of(op, output, group))
  end)

local function reduce_scatter_of(name)
  return function(output, input, op, group, async_op)
    world.check_tensor(output, "output")
    world.check_tensor(input, "input")
    world.check_dtypes(output, input)
    group = world.group_or_default(group)
    if world.is_outside(group, name) then return end
    return run("reduce_scatter_tensor", group, async_op, {output}, output, input, number_of(op, output, group))
  end
end

--- Reduces a tensor over all ranks: each rank receives its part of the rows.
collectives.reduce_scatter_tensor = define("reduce_scatter_tensor(output, input, op?, group?, bool async_op=false)",
  reduce_scatter_of "reduce_scatter_tensor")
--- The same as reduce_scatter_tensor.
collectives.reduce_scatter_single = define("reduce_scatter_single(output, input, op?, group?, bool async_op=false)",
  reduce_scatter_of "reduce_scatter_single")

--- Sends the tensors of a table, one to each rank, and receives one from each.
collectives.all_to_all = define("all_to_all(output_tensor_list, input_tensor_list, group?, bool async_op=false)",
  function(outputs, inputs, group, async_op)
    group = world.group_or_default(group)
    if world.is_outside(group, "all_to_all") then return end
    world.check_list(outputs, "output_tensor_list")
    world.check_list(inputs, "input_tensor_list")
    world.check_dtypes(outputs, inputs)
    check_count(inputs, group, "ProcessGroupGloo::alltoall: input tensor list size %d does not match world size %d")
    check_count(outputs, group, "ProcessGroupGloo::alltoall: output tensor list size %d does not match world size %d")
    return run("all_to_all", group, async_op, outputs, outputs, inputs)
  end)

-- Returns a table of numbers of rows, one for each rank, as C takes it: nil for equal parts.
local function checked_sizes(list, group)
  if list == nil or #list == 0 then return nil end
  for _, size in ipairs(list) do
    if math.type(size) ~= "integer" then fail("TypeError", "all_to_all_single(): split sizes must be ints, not %s", torch._python_type(size)) end
  end
  check_count(list, group, "Number of tensor splits not equal to group size")
  return list
end

--- Sends rows of a tensor to each rank, and receives rows from each: equal parts, or as many as the tables of sizes say.
collectives.all_to_all_single = define(
  "all_to_all_single(output, input, output_split_sizes?, input_split_sizes?, group?, bool async_op=false)",
  function(output, input, output_split_sizes, input_split_sizes, group, async_op)
    group = world.group_or_default(group)
    if world.is_outside(group, "all_to_all_single") then return end
    world.check_tensor(output, "output")
    world.check_tensor(input, "input")
    world.check_dtypes(output, input)
    return run("all_to_all_single", group, async_op, {output}, output, input, checked_sizes(output_split_sizes, group),
      checked_sizes(input_split_sizes, group))
  end)

return collectives
