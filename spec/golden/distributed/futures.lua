-- ranks: 1
-- torch.futures: values that a script sets, functions that wait for them, and several futures.
local torch = require "torch"
local Future = torch.futures.Future

-- Returns the kind and the first line of what a call raises, or what it returns.
local function try(f, ...)
  local ok, value = pcall(f, ...)
  if ok then return value end
  return value.code, value.message:match "^[^\n]*"
end

local future = Future()
local order = {}
local doubled = future:and_then(function(f)
  order[#order + 1] = "first"
  return f:value() * 2
end)
local more = doubled:and_then(function(f)
  order[#order + 1] = "second"
  return f:wait() + 1
end)
future:add_done_callback(function(f) order[#order + 1] = "third " .. f:value() end)
print(future:done(), doubled:done(), more:done())
future:set_result(3)
print(future:done(), doubled:done(), more:done(), table.concat(order, ", "))
print(future:wait(), doubled:wait(), more:value())
print(future:and_then(function(f) return f:value() - 1 end):wait())
print(try(function() future:set_result(4) end))

local first, second = Future(), Future()
local all = torch.futures.collect_all{first, second}
local seen = all:and_then(function(f) return #f:value() end)
second:set_result(20)
print(all:done(), seen:done())
first:set_result(10)
print(all:done(), seen:done(), seen:wait(), all:wait()[1]:wait(), all:wait()[2]:wait())
print(table.concat(torch.futures.wait_all{first, second, doubled}, " "))
