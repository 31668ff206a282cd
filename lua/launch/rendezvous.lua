-- rendezvous.lua: the rounds of a job on one machine. Each has a store of its own, on a port that nobody else has, which the
-- launcher serves: it outlives the processes, and sees them go.
local torch = ...
local stores = torch._part "distributed.stores"

local rendezvous = {}

--- Returns true if a group stood among the processes that met in a store: all ranks had come.
function rendezvous.group_stood(store)
  for _, key in ipairs(store:list_keys()) do
    if key:find "/verdict$" and store:get(key) == "ok" then return true end
  end
  return false
end

local function alone(job)
  local meet, o = {}, job.options
  local fixed = o.given.master_port and not o.standalone
  local address = o.given.master_addr and not o.standalone and o.master_addr or "127.0.0.1"
  function meet.round(restarts)
    local store = stores.TCPStore(address, fixed and o.master_port or 0, nil, true, nil, false)
    return {restarts = restarts, first_rank = 0, world_size = job.local_size, group_rank = 0, group_size = 1, address = address,
      port = store.port, store = store}
  end
  --- Says what becomes of a round: "done", or "failed" and if it may be tried again.
  function meet.settle(round, first, may_restart)
    local again = first and may_restart(first, function() return rendezvous.group_stood(round.store) end)
    round.store = nil
    collectgarbage() -- ends the server
    return first and "failed" or "done", again
  end
  function meet.leave() end
  return meet
end

--- Returns {round, settle, leave} for a job.
function rendezvous.of(job)
  local o = job.options
  local several = o.max_nodes > 1 or o.rdzv_endpoint ~= "" and not o.standalone
  return several and torch._part "launch.machines"(job) or alone(job)
end

return rendezvous
