-- distributed/futures.lua: values that will be there later: of an operation under way, of a function of another future's, or one that the
-- script sets itself. A script has one thread, so functions that wait for an operation run when the script hears of its end.
local torch = ...
local support = torch._part "support"
local fail = support.fail

local futures = {}
local Future = support.class("Future", nil, "torch.futures")
futures.Future = Future

-- --- sources ------------------------------------------------------------------------------------------------------

-- A source is what a future waits for, with wait() and is_completed(): a Work, or one of the two classes below. `waiting` lists the futures
-- whose functions run at its end, in the order in which they were asked for; `ended` is true once the script knows of the end.

--- Runs the functions that wait for the end of a source.
function futures.ended(source)
  local waiting = source.waiting
  source.waiting, source.ended = nil, true
  for _, future in ipairs(waiting or {}) do future:settle() end
end

-- The source of a future whose value the script sets.
local Promise = {}
Promise.__index = Promise
function Promise:is_completed() return self.ended == true end
function Promise:wait()
  if self.ended then return end
  torch._raise("RuntimeError", "wait() is called on a Future that nothing completes",
    "future:set_result(value) comes before wait(): nothing else runs while a script waits")
end

-- The source of a future of several futures.
local All = {}
All.__index = All
function All:is_completed()
  for _, member in ipairs(self) do
    if not member:done() then return false end
  end
  if not self.ended then futures.ended(self) end
  return true
end
function All:wait()
  for _, member in ipairs(self) do member:wait() end
  self:is_completed()
end

-- --- futures ------------------------------------------------------------------------------------------------------

--- source: what the future waits for; nil is a value that set_result sets. compute: returns the value once the source has ended.
function Future:init(source, compute) self.source, self.compute = source or setmetatable({}, Promise), compute end

--- Finds out the value, or the error, of a future whose source has ended.
function Future:settle()
  local compute = self.compute
  if not compute then return end
  self.compute = nil
  local ok, value = pcall(compute)
  if ok then self.result = value else self.failure = value end
end

--- Waits, and returns the value: a table of an operation's output tensors, or what a function returned. Raises the error of either.
function Future:wait()
  local ok, err = pcall(self.source.wait, self.source)
  if not ok and (err.code == "KeyboardInterrupt" or not self.source:is_completed()) then error(err, 0) end
  self:settle()
  if self.failure ~= nil then error(self.failure, 0) end
  return self.result
end

--- Returns the value. Raises if it is not there yet.
function Future:value()
  if not self:done() then
    torch._raise("RuntimeError", "value() is called on a Future that is not completed", "future:wait() waits for it, and returns it")
  end
  return self:wait()
end

--- Returns true once the value, or an error, is there.
function Future:done() return self.source.ended or self.source:is_completed() end

-- Returns a future of compute()'s value, which runs at the end of this one's source.
local function after(self, compute)
  local source, future = self.source, Future(self.source, compute)
  if source.ended then
    future:settle()
  else
    source.waiting = source.waiting or {}
    table.insert(source.waiting, future)
  end
  return future
end

--- Returns a future of f(self). f runs when the script hears that the operation has ended: in wait() of it or of one of its futures, or in
-- is_completed() and done() if they return true.
function Future:and_then(f)
  return after(self, function() return f(self) end)
end

Future["then"] = Future.and_then   -- PyTorch's name, a word of Lua's: future["then"](future, f)

--- Calls f(self) when and_then would. An error of f is a warning.
function Future:add_done_callback(f)
  after(self, function()
    local ok, err = pcall(f, self)
    if not ok then torch._warn("Got the following error when running the callback: " .. tostring(err)) end
  end)
end

-- Ends a future that the script made.
local function complete(self, field, value)
  if getmetatable(self.source) ~= Promise or self.source.ended then
    fail("RuntimeError", "Attempting to mark a completed Future as complete again. Note that a Future can only be marked completed once.")
  end
  self[field] = value
  futures.ended(self.source)
end

--- Sets the value of a future that torch.futures.Future() made.
function Future:set_result(value) complete(self, "result", value) end

--- Sets the error that wait() and value() raise.
function Future:set_exception(err)
  if err == nil then fail("TypeError", "set_exception() missing 1 required positional argument: 'result'") end
  complete(self, "failure", err)
end

-- --- several futures ------------------------------------------------------------------------------------------------

--- Returns a future of the list of futures, which ends with the last of them.
futures.collect_all = torch._define("collect_all(futures)", function(list)
  local source = setmetatable(table.move(list, 1, #list, 1, {}), All)
  for _, member in ipairs(source) do
    member:add_done_callback(function() source:is_completed() end)
  end
  return Future(source, function()
    for _, member in ipairs(list) do member:wait() end
    return list
  end)
end)

--- Waits for futures, and returns the list of their values.
futures.wait_all = torch._define("wait_all(futures)", function(list)
  local values = {}
  for i, future in ipairs(list) do values[i] = future:wait() end
  return values
end)

return futures
