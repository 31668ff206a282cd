-- distributed/join.lua: uneven inputs: ranks that have run out of inputs take part in the operations of those that go on.
local torch = ...
local support = torch._part "support"
local collectives = torch._part "distributed.collectives"
local fail = support.fail

local join = {}

local WARNS_AFTER = 1000   -- passes that other ranks have made alone

-- Adds up one number of each rank of the joinable's group.
local function sum(object, value, async_op)
  local number = torch.full({1}, value, {dtype = torch.float32, device = object:join_device()})
  local work = collectives.all_reduce(number, {group = object:join_process_group(), async_op = async_op})
  return number, work
end

--- Tells ranks that have ended that this one goes on. A joinable calls it before the operations of a pass. Returns a Work, and the tensor
-- that then holds the number of ranks that go on; or nil if another joinable of the block tells them.
function join.notify(object)
  local config = object._join_config
  if not config or not config.enable or not config.is_first then return nil end
  local number, work = sum(object, 1, true)
  if config.throws and sum(object, 0):item() > 0 then
    fail("RuntimeError", "Detected at least one rank that exhausted inputs. Throwing across all ranks.")
  end
  return work, number
end

-- Takes part in the operations of ranks that go on, until all have ended.
local function shadow(first, rank, hooks, throws)
  local passes, is_last = 0, true
  while sum(first, 0):item() > 0 do
    if throws then
      sum(first, 1)
      fail("RuntimeError", "Rank %d exhausted all inputs.", rank)
    end
    if passes == WARNS_AFTER then
      torch._warn(("Detected uneven input skew of greater than %d. This means that rank %d has at least %d fewer inputs than other " ..
        "currently-active ranks. This level of skew could lead to performance degradation during training."):format(passes, rank, passes))
    end
    for _, hook in ipairs(hooks) do hook:main_hook() end
    passes, is_last = passes + 1, false
  end
  for _, hook in ipairs(hooks) do hook:post_hook(is_last) end
end

--- A block for loops over inputs of which ranks have different numbers. options: enable, throw_on_early_termination; others go to the hooks.
-- block: the function that has the loop; without one, returns what ends the block when it is closed.
function join.block(joinables, options, block)
  if #joinables == 0 then fail("ValueError", "The join context manager requires at least one joinable") end
  local enable, throws, hooks = options.enable ~= false, options.throw_on_early_termination or false, {}
  local group = joinables[1]:join_process_group()
  for i, object in ipairs(joinables) do
    if object:join_process_group() ~= group then fail("ValueError", "Using join context manager with multiple process groups") end
    hooks[i] = object:join_hook(options)
    object._join_config = {enable = enable, throws = throws, is_first = i == 1}
  end
  local function leave(problem)
    if enable and problem == nil then shadow(joinables[1], torch.distributed.get_rank(group), hooks, throws) end
    for _, object in ipairs(joinables) do object._join_config = nil end
  end
  if not block then return setmetatable({}, {__close = function(_, problem) leave(problem) end}) end
  local results = table.pack(block())
  leave()
  return table.unpack(results, 1, results.n)
end

return join
