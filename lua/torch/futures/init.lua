-- futures/init.lua: torch.futures: values that operations under way, or the script itself, will bring.
local torch = ...
local Future = torch._part("distributed.work").Future

local futures = {Future = Future}

--- wait_all(futures) returns the values of a list of futures.
function futures.wait_all(list)
  local values = {}
  for i, future in ipairs(list) do values[i] = future:wait() end
  return values
end

--- collect_all(futures) returns a future of the list, once all of them have ended.
function futures.collect_all(list)
  local work = {}
  function work.wait() futures.wait_all(list) end
  function work.is_completed()
    for _, future in ipairs(list) do
      if not future:done() then return false end
    end
    return true
  end
  return Future(work, function() return list end)
end

return torch._namespace(futures, "torch.futures")
