-- distributed/coalesced.lua: torch.distributed's operations on several tensors in one call.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local number_of = torch._part "distributed.collectives"._number_of
local Work = torch._part "distributed.work".Work
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
  local handles = {}
  for i, tensor in ipairs(tensors) do handles[i] = driver.all_reduce(group.handle, true, tensor, number_of(op, tensor, group)) end
  return finish(group, handles, tensors, async_op)
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

return coalesced
