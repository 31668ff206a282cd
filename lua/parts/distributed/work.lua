-- distributed/work.lua: operations under way (Work), and what their results will be (Future).
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local driver, fail = torch._distributed, support.fail

local MODULE = "torch.distributed.distributed_c10d"
local Work = support.class("Work", nil, MODULE)
local Future = support.class("Future", nil, "torch.futures")

-- --- futures --------------------------------------------------------------------------------------------------------

-- What a future waits for that the script itself will complete.
local Promise = support.class("Promise", nil, MODULE)
function Promise:is_completed() return self.is_set == true end
function Promise:wait()
  if not self.is_set then
    torch._raise("RuntimeError", "The future has no result, and nothing would set one while it is waited for", "future:set_result(value) comes first")
  end
  if self.problem ~= nil then error(self.problem, 0) end
end

--- work: what the future waits for; nil: set_result. compute: returns the value once it has ended.
function Future:init(work, compute)
  if not work then self.promise = Promise() end
  self.work, self.compute = work or self.promise, compute
end

local function complete(future, result, problem)
  local promise = future.promise
  if not promise or promise.is_set then
    fail("RuntimeError", "Attempting to mark a completed Future as complete again. Note that a Future can only be marked completed once.")
  end
  promise.is_set, promise.problem, future.result = true, problem, result
  if future.compute and problem == nil then future:wait() end   -- functions of add_done_callback
end

--- Completes a future that was made by Future(): its value is there.
function Future:set_result(result) complete(self, result) end

--- Completes a future by an error, which wait() raises.
function Future:set_exception(problem) complete(self, nil, problem) end

--- Waits for the operation, and returns the value: a table of its output tensors, or what the last function returned.
function Future:wait()
  self.work:wait()
  if self.compute then self.result, self.compute = self.compute(), nil end
  return self.result
end

--- Returns the value. Raises if it is not there yet.
function Future:value()
  if not self:done() then
    torch._raise("RuntimeError", "value() is called on a Future that is not completed", "future:wait() waits for it, and returns it")
  end
  return self:wait()
end

--- Returns true once the operation has ended.
function Future:done() return self.work:is_completed() end

--- Returns a future whose value is what f returns for this one. f runs when the new future is waited for.
function Future:and_then(f)
  return Future(self.work, function()
    self:wait()
    return f(self)
  end)
end

--- Calls f with the future once it has ended: at the wait for this future.
function Future:add_done_callback(f)
  local compute, before = self.compute, self.result
  self.compute = function()
    local value = compute and compute() or before
    self.result, self.compute = value, nil
    f(self)
    return value
  end
end

-- --- operations -----------------------------------------------------------------------------------------------------

--- handles: the operations in C. outputs: the table of tensors that they write. group: theirs.
function Work:init(group, handles, outputs) self.group, self.handles, self.outputs = group, handles, outputs end

--- Waits until the operation has ended, at most for timeout seconds (the group's without one). Returns true, or raises its error.
function Work:wait(timeout)
  timeout = world.seconds(timeout)
  for _, handle in ipairs(self.handles) do driver.wait(handle, timeout) end
  return true
end
Work.synchronize = Work.wait

--- Returns true once the operation has ended, also by an error.
function Work:is_completed()
  for _, handle in ipairs(self.handles) do
    if not driver.is_completed(handle) then return false end
  end
  return true
end

--- Returns the error of an operation that has failed, or nil.
function Work:exception()
  if not self:is_completed() then return nil end
  local ok, err = pcall(self.wait, self)
  return not ok and err or nil
end

--- Returns true if the operation has ended without an error.
function Work:is_success() return self:is_completed() and self:exception() == nil end

--- Returns the table of the tensors that the operation writes, once it has ended.
function Work:result()
  self:wait()
  return self.outputs
end

--- Returns the future of the operation's output tensors.
function Work:get_future()
  return Future(self, function() return self.outputs end)
end

--- Returns the rank in the world from which a recv received.
function Work:source_rank()
  local source = #self.handles == 1 and self.is_recv and driver.source(self.handles[1])
  return source and world.global_rank(self.group, source) or
    fail("RuntimeError", "sourceRank() may only be called on work objects that correspond to a recv or recv-from-any call.")
end

return {Work = Work, Future = Future}
