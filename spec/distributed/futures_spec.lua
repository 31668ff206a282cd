-- futures_spec.lua: functions that wait for operations under way run when the script hears of the operation's end. What futures do that a
-- script completes itself is in spec/golden/distributed/futures.lua.
local busted = require "busted"
local torch = require "torch"
local ranks = require "ranks"

local function run(text)
  local beginning = [[
local torch = require "torch"
local dist = torch.distributed
dist.init_process_group("gloo", {timeout = 10})
local rank = dist.get_rank()
local function begin() return dist.all_reduce(torch.ones(2), {async_op = true}) end
]]
  for _, ended in ipairs(ranks.run(beginning .. text .. "\ndist.destroy_process_group()\n", 2)) do
    assert.equal(0, ended.status, ended.errors .. ended.output)
    assert.equal("", ended.output)
  end
end

busted.describe("futures of operations", function()
  busted.it("run functions in the order of their asking, at any wait for the operation", function()
    run [[
for _, wait in ipairs{
  function(work) work:wait() end,
  function(_, future) future:wait() end,
  function(_, _, last) last:wait() end,
  function(work) while not work:is_completed() do end end,
  function(_, future) while not future:done() do end end,
} do
  local work, said = begin(), {}
  local future = work:get_future()
  local last = future:and_then(function(f) said[#said + 1] = "a" return f:value()[1]:sum():item() end)
    :and_then(function(f) said[#said + 1] = "b" return f:value() + 1 end)
  future:add_done_callback(function() said[#said + 1] = "c" end)
  assert(#said == 0)
  wait(work, future, last)
  assert(table.concat(said) == "abc" and last:value() == 5)
  assert(future:and_then(function() said[#said + 1] = "d" return 7 end):value() == 7 and #said == 4)
end]]
  end)

  busted.it("hold the errors of functions, and of the operation", function()
    run [[
local future = begin():get_future()
local failed = future:and_then(function() error("no", 0) end)
local handled = failed:and_then(function(f) return select(2, pcall(f.wait, f)) end)
assert(future:wait()[1]:sum():item() == 4 and handled:wait() == "no")
assert(select(2, pcall(failed.wait, failed)) == "no")

local x = torch.ones(2 + rank)
local ok, err = pcall(function()
  local late = dist.all_reduce(x, {async_op = true}):get_future():and_then(function(f) return f:wait() end)
  late:wait()
end)
assert(not ok and err.message:find("mismatch", 1, true), tostring(err))]]
  end)

  busted.it("are refused what they cannot do", function()
    local Future = torch.futures.Future
    local function fails(message, f, ...)
      local ok, err = pcall(f, ...)
      assert.is_false(ok)
      assert.truthy(tostring(err):find(message, 1, true), tostring(err))
    end
    local future = Future()
    fails("nothing completes", future.wait, future)
    fails("not completed", future.value, future)
    local child, all = future:and_then(function(f) return f:wait() end), torch.futures.collect_all{Future(), future}
    future:set_exception "broken"
    fails("broken", future.wait, future)
    fails("broken", child.value, child)
    fails("Attempting to mark a completed Future", future.set_result, future, 1)
    fails("nothing completes", all.wait, all)
  end)
end)
