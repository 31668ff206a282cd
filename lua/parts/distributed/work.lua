-- distributed/work.lua: operations under way.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local futures = torch._part "distributed.futures"
local driver, fail = torch._distributed, support.fail

local Work = support.class("Work", nil, "torch.distributed.distributed_c10d")

--- handles: the operations in C. outputs: the table of tensors that they write. group: theirs.
function Work:init(group, handles, outputs) self.group, self.handles, self.outputs = group, handles, outputs end

local function wait_for(handles, timeout)
  for _, handle in ipairs(handles) do driver.wait(handle, timeout) end
end

--- Waits until the operation has ended, at most for timeout seconds (the group's without one); with nccl and without a timeout, the script's
-- stream waits, and the host goes on. Returns true, or raises its error.
function Work:wait(timeout)
  timeout = world.seconds(timeout)
  if not self.waiting then
    wait_for(self.handles, timeout)
    self.ended = true
    return true
  end
  local ok, err = pcall(wait_for, self.handles, timeout)
  if ok then futures.ended(self) else self:is_completed() end   -- runs what waits for the end, which on a GPU may be still to come
  if not ok then error(err, 0) end
  return true
end
Work.synchronize = Work.wait

--- Returns true once the operation has ended, also by an error.
function Work:is_completed()
  for _, handle in ipairs(self.handles) do
    if not driver.is_completed(handle) then return false end
  end
  futures.ended(self)
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
  return futures.Future(self, function()
    self:wait()
    return self.outputs
  end)
end

--- Returns the rank in the world from which a recv received.
function Work:source_rank()
  local source = #self.handles == 1 and self.is_recv and driver.source(self.handles[1])
  return source and world.global_rank(self.group, source) or
    fail("RuntimeError", "sourceRank() may only be called on work objects that correspond to a recv or recv-from-any call.")
end

return {Work = Work}
