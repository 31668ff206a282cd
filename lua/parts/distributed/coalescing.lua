-- distributed/coalescing.lua: operations of a group that begin as one.
local torch = ...
local driver = torch._distributed

local coalescing = {}

--- Begins operations as one. items: tables of an operation's name in C and its arguments. Returns its handle; nil if it was waited for.
function coalescing.begin(group, items, async)
  driver.start_coalescing(group.handle)
  local ok, err = pcall(function()
    for _, item in ipairs(items) do driver[item.name](group.handle, true, table.unpack(item)) end
  end)
  if not ok then
    driver.drop_coalescing(group.handle)
    error(err, 0)
  end
  return driver.end_coalescing(group.handle, async)
end

--- Begins operations as one if the group can, else one after the other. Returns the table of their handles.
function coalescing.begin_all(group, items)
  if items[1] and driver.coalesces(group.handle, items[1][1]) then return {coalescing.begin(group, items, true)} end
  local handles = {}
  for i, item in ipairs(items) do handles[i] = driver[item.name](group.handle, true, table.unpack(item)) end
  return handles
end

return coalescing
