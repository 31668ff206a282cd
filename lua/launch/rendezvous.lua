-- rendezvous.lua: the rounds of a job: the store that its processes meet in, and the place of this machine's among them.
local torch = ...

-- One machine: each round has a store of its own, on a port that nobody else has.
local function alone(job)
  local meet, store = {}, nil
  function meet.round(_, restarts)
    local o = job.options
    local port = o.given.master_port and not o.standalone and restarts == 0 and o.master_port or 0
    local address = o.given.master_addr and not o.standalone and o.master_addr or "127.0.0.1"
    store = not pcall(function() return torch.distributed.TCPStore end) and {port = 29500} or torch.distributed.TCPStore(address, port, nil, true, 300, false)
    return {restarts = restarts, first_rank = 0, world_size = job.local_size, group_rank = 0, group_size = 1, address = address,
      port = store.port, stood = function() return true end}
  end
  function meet.leave() store = nil end
  return meet
end

--- Returns {round = f(job, restarts), leave = f(first failure)} for a job.
return function(job)
  local o = job.options
  local several = o.max_nodes > 1 or o.rdzv_endpoint ~= "" and not o.standalone
  return several and torch._part "launch.machines"(job) or alone(job)
end
