-- distributed/coalesced.lua: torch.distributed's operations on several tensors in one call.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local number_of = torch._part "distributed.collectives"._number_of
local Work = torch._part "distributed.work".Work
local coalescing = torch._part "distributed.coalescing"
local driver, fail, define = torch._distributed, support.fail, torch._define

local coalesced = {}

-- Returns the Work of several operations, or waits for it.
local function finish(group, handles, outputs, async_op)
  local work = Work(group, handles, outputs)
  if async_op then return work end
  work:wait()
end

--- Reduces several tensors over all ranks, in place.
coalesced.all_reduce_coalesced = define("all_reduce_coalesced(tensors, op?, group?, bool async_op=false)", function(tensors, op, group, async_op)
  if torch.is_tensor(tensors) then tensors = {tensors} end
  world.check_list(tensors, "tensor")
  world.check_dtypes(tensors)
  group = world.group_or_default(group)
  if world.is_outside(group, "all_reduce_coalesced") then return end
  local items = {}
  for i, tensor in ipairs(tensors) do items[i] = {name = "all_reduce", tensor, number_of(op, tensor, group)} end
  return finish(group, coalescing.begin_all(group, items), tensors, async_op)
end)

--- Gathers several tensors from all ranks: output_tensor_lists has a table for each rank, with a tensor for each of its inputs.
coalesced.all_gather_coalesced = define("all_gather_coalesced(output_tensor_lists, input_tensor_list, group?, bool async_op=false)",
  function(output_tensor_lists, input_tensor_list, group, async_op)
    group = world.group_or_default(group)
    if world.is_outside(group, "all_gather_coalesced") then return end
    world.check_list(input_tensor_list, "tensor_list")
    world.check_dtypes(input_tensor_list)
    if not support.is_plain(output_tensor_lists) then
      fail("TypeError", "Invalid function argument: output_tensor_lists should be a list")
    end
    for _, list in ipairs(output_tensor_lists) do
      world.check_list(list, "output_tensor_lists")
      world.check_dtypes(list)
    end
    if #output_tensor_lists ~= group.count then
      fail("RuntimeError", "all_gather_coalesced: output_tensor_lists has %d tables, but the group has %d ranks", #output_tensor_lists, group.count)
    end
    local handles, outputs = {}, {}
    for i, input in ipairs(input_tensor_list) do
      local column = {}
      for rank, list in ipairs(output_tensor_lists) do column[rank] = list[i] end
      handles[i] = driver.all_gather(group.handle, true, column, input)
      table.move(column, 1, #column, #outputs + 1, outputs)
    end
    return finish(group, handles, outputs, async_op)
  end)

-- --- blocks of operations -------------------------------------------------------------------------------------------------

-- PyTorch's names of what a block collects, and the argument that is the reduction.
local KINDS = {
  all_reduce = {shown = "all_reduce", reduction = 2},
  all_gather_into_tensor = {shown = "all_gather_single"},
  reduce_scatter_tensor = {shown = "reduce_scatter_single", reduction = 3},
}

-- Raises unless all operations of a block are alike.
local function check_alike(items)
  local first, shown = items[1], {}
  for _, item in ipairs(items) do
    local name = KINDS[item.name].shown
    if not shown[name] then shown[#shown + 1], shown[name] = ("'%s'"):format(name), true end
  end
  if #shown > 1 then
    fail("RuntimeError", "Coalescing manager requires all collectives to be the same type, but got mixed types: {%s}", table.concat(shown, ", "))
  end
  local reduction = KINDS[first.name].reduction
  for _, item in ipairs(items) do
    if reduction and item[reduction] ~= first[reduction] then
      torch._raise("RuntimeError", "Coalescing manager requires all collectives to have the same reduction",
        "a block for each reduction; PyTorch takes the first one's for all")
    end
  end
end

local Manager = support.class("_CoalescingManager", nil, "torch.distributed.distributed_c10d")

--- works: of the operations of the block, once it has ended.
function Manager:init(group, async_ops) self.group, self.async_ops, self.works = group, async_ops, {} end

--- Waits for the operations of the block.
function Manager:wait()
  for _, work in ipairs(self.works) do work:wait() end
end

-- Begins what the block has collected, and waits for it unless async_ops. After an error it forgets it.
local function close(self, problem)
  local items = self.group.collected
  self.group.collected = nil
  if problem ~= nil or not items or #items == 0 then return end
  check_alike(items)
  local outputs = {}
  for _, item in ipairs(items) do table.move(item.outputs, 1, #item.outputs, #outputs + 1, outputs) end
  local work = Work(self.group, coalescing.begin_all(self.group, items), outputs)
  if self.async_ops then self.works[1] = work else work:wait() end
end

--- Collects the operations all_reduce, all_gather_into_tensor or reduce_scatter_tensor of a block, and begins them together at its end: one
-- launch with nccl. `local cm <close> = torch.distributed._coalescing_manager()`; with async_ops = true cm:wait() waits for them.
coalesced._coalescing_manager = define("_coalescing_manager(group?, device?, bool async_ops=false)", function(group, device, async_ops)
  group = world.group_or_default(group)
  if group == world.NON_MEMBER then fail("ValueError", "Invalid process group specified") end
  if group.collected and #group.collected > 0 then
    fail("ValueError", "ProcessGroup has non-empty op list at the start of coalescing")
  end
  if device ~= nil and not driver.coalesces(group.handle, torch.empty({0}, {device = device})) then
    fail("RuntimeError", "Backend %s does not implement startCoalescing", group.backend)
  end
  local manager = Manager(group, async_ops)
  getmetatable(manager).__close = close
  group.collected = {}
  return manager
end)

return coalesced
