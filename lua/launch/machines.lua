-- machines.lua: the rounds of a job on several machines. Their launchers meet in a store that one of them serves, at
-- --rdzv-endpoint or --master-addr.
--
-- Values of a round, in a PrefixStore of its own:
--   count      how many machines came, in the order of their numbers
--   node/N     what machine N says of itself
--   closed     how many of them the round has; later ones count in `late`, and wait for `over`
--   port       of the store that the processes of the round meet in, which the same launcher serves
--   beat/N     grows while machine N is there
--   failed     the first failure: "again" or "final", and a line of words
--   changed    why the round ends without a failure: a machine came or went
--   done       how many machines have succeeded;  left  how many need the store no more
local torch = ...
local stores, rendezvous = torch._part "distributed.stores", torch._part "launch.rendezvous"
local processes, report = torch._processes, torch._part "launch.report"

-- Seconds: to wait for machines, as torchrun does; for more of them once enough are there; until a machine that says nothing is
-- gone; between two looks; for the others to leave.
local defaults = {join_timeout = 600, last_call_timeout = 30, keep_alive_timeout = 10}
local look, farewell = 0.3, 10
local quiet = 3 -- seconds without a beat after which a machine is not waited for at the end
local cause_comes = 2 -- seconds in which the machine where it happened speaks first
local DEFAULT_PORT = 29400

-- Returns host and port where the launchers meet.
local function endpoint(o)
  if o.rdzv_endpoint == "" then return o.master_addr, o.master_port end
  local host, port = o.rdzv_endpoint:match "^%[?(.-)%]?:(%d+)$"
  return host or o.rdzv_endpoint, tonumber(port) or o.given.master_port and o.master_port or DEFAULT_PORT
end

-- Ends the launcher if it was told to while it waits.
local function check_signals(job)
  local byte = (processes.read(job.signals, 64) or ""):byte()
  if byte and processes.signal_name(byte) ~= (job.options.tells and "SIGUSR1") then -- there are no ranks to ask
    job.signal = byte
    error({signal = byte}, 0)
  end
end

-- Waits until `condition` returns a value, which it returns. Fails with words after the time.
local function wait_for(job, seconds, condition, words)
  local deadline = processes.now() + seconds
  while true do
    check_signals(job)
    local value = condition()
    if value then return value end
    if processes.now() > deadline then error(words(), 0) end
    processes.wait({job.signals}, math.min(look, 0.1))
  end
end

-- Opens the store of the launchers. Returns it, and true if this launcher serves it.
local function open_store(job, host, port, timeout)
  local o = job.options
  local serves = o.rdzv_backend == "static" and o.rdzv_endpoint == "" and o.node_rank == 0
  local own = serves or o.rdzv_conf.is_host == "true" or o.rdzv_conf.is_host ~= "false" and o.rdzv_backend ~= "static"
    and processes.is_own_host(host)
  if own then
    local ok, store = pcall(stores.TCPStore, host, port, nil, true, timeout, false)
    if ok then return store, true end
    if serves then error(store, 0) end -- of static machines, the first must
  end
  local problem
  return wait_for(job, timeout, function()
    local ok, store = pcall(stores.TCPStore, host, port, nil, false, 1, false)
    problem = not ok and store
    return ok and store
  end, function()
    return ("no launcher serves %s:%d: %s\nhint: start the one on %s first, and see that the port is open"):format(host, port,
      problem.message or tostring(problem), host)
  end), false
end

-- --- coming together -------------------------------------------------------------------------------------

-- Waits for all machines, whose numbers are given.
local function join_static(job, here, seconds)
  local o = job.options
  local function missing()
    local list = {}
    for i = 0, o.max_nodes - 1 do
      if not here:check {"node/" .. i} then list[#list + 1] = tostring(i) end
    end
    return list
  end
  here:set("node/" .. o.node_rank, ("%s\n%d"):format(job.host, job.local_size))
  wait_for(job, seconds, function() return #missing() == 0 end, function()
    return ("machines that did not come within %g s: --node-rank %s of %d"):format(seconds, table.concat(missing(), ", "), o.max_nodes)
  end)
  return o.node_rank, o.max_nodes
end

-- Takes a number, and waits until enough machines are there.
local function join_dynamic(job, here, seconds, last_call)
  local o = job.options
  local index = here:add("count", 1) - 1
  here:set("node/" .. index, ("%s\n%d"):format(job.host, job.local_size))
  local count, since = 0, processes.now()
  local size = wait_for(job, seconds, function()
    if here:check {"closed"} then return tonumber(here:get "closed") end
    local now = here:add("count", 0)
    if now ~= count then count, since = now, processes.now() end
    local enough = count >= o.max_nodes or count >= o.min_nodes and processes.now() - since >= last_call
    return enough and tonumber(here:compare_set("closed", "", tostring(math.min(count, o.max_nodes))))
  end, function() return ("%d machines came within %g s, at least %d are needed (--nnodes)"):format(count, seconds, o.min_nodes) end)
  return index, size
end

-- Returns the ranks before those of machine `index`, and the number of all.
local function count_ranks(here, index, size)
  local first, all = 0, 0
  for i = 0, size - 1 do
    local n = tonumber(here:get("node/" .. i):match "\n(%d+)")
    if i < index then first = first + n end
    all = all + n
  end
  return first, all
end

-- --- while the processes run -------------------------------------------------------------------------

-- Notes which machines say nothing any more. Returns the name of one.
local function silent(round, limit)
  local now = processes.now()
  for i = 0, round.group_size - 1 do
    if i ~= round.group_rank then
      local beat = round.here:add("beat/" .. i, 0)
      local seen = round.beats[i]
      if not seen or seen.beat ~= beat then
        round.beats[i] = {beat = beat, time = now, silence = 0}
      else
        seen.silence = now - seen.time
      end
      if seen and seen.silence > limit then
        return round.here:get("node/" .. i):match "^[^\n]*"
      end
    end
  end
end

-- Looks what other machines say. Returns "failed" or "changed", if they say so.
local function news(job, round, limit)
  local here, o = round.here, job.options
  here:add("beat/" .. round.group_rank, 1)
  if here:check {"failed"} then return "failed" end
  if here:check {"changed"} then return "changed" end
  local gone = silent(round, limit)
  if gone and round.group_size - 1 >= o.min_nodes and o.rdzv_backend ~= "static" then
    here:compare_set("changed", "", gone .. " is gone")
  elseif gone then
    here:compare_set("failed", "", ("final\nmachine %s is gone"):format(gone))
  elseif o.max_nodes > round.group_size and here:add("late", 0) > 0 then
    here:compare_set("changed", "", "a machine came")
  end
end

-- Asks the store by a function, and returns what that does. If the store does not answer for a while, there is nothing new; after
-- that, or if its server has ended, it is lost: an error.
local function ask(round, limit, question)
  local ok, what = pcall(question)
  local now = processes.now()
  if ok then
    round.heard = now
    return what
  end
  if tostring(what):find "Connection was likely closed" then error(what, 0) end
  round.heard = round.heard or now
  if now - round.heard > limit then
    error(("it has been silent for %g s: its host cannot be reached, or it was stopped"):format(limit), 0)
  end
end

-- Returns the function that looks while the processes run.
local function watcher(job, limit)
  local last = 0
  return function(round)
    if processes.now() - last < look then return end
    last = processes.now()
    local ok, what = pcall(ask, round, limit, function() return news(job, round, limit) end)
    if not ok then round.lost = what end
    if not ok or what == "changed" then
      torch._part "launch.ranks".finish(job, round, "stop")
    elseif what == "failed" then
      round.failed_at = round.failed_at or processes.now()
    end
  end
end

-- Waits until all machines have succeeded, or one says something else.
local function wait_for_all(job, round, limit)
  round.here:add("done", 1)
  return wait_for(job, math.huge, function()
    return ask(round, limit, function()
      return round.here:add("done", 0) >= round.group_size and "done" or news(job, round, limit)
    end)
  end)
end

-- Returns how many machines of a round, this one among them, still had a beat.
local function alive(round)
  local count = round.group_size
  for _, seen in pairs(round.beats) do
    if seen.silence > quiet then count = count - 1 end
  end
  return count
end

-- --- the rounds ------------------------------------------------------------------------------------------

--- Returns {round, settle, leave} for a job.
return function(job)
  local o, number = job.options, 0
  local function setting(name) return tonumber(o.rdzv_conf[name]) or tonumber(o.rdzv_conf.timeout) or defaults[name] end
  local seconds, limit = setting "join_timeout", tonumber(o.rdzv_conf.keep_alive_timeout) or defaults.keep_alive_timeout
  local last_call = tonumber(o.rdzv_conf.last_call_timeout) or defaults.last_call_timeout
  local host, port = endpoint(o)
  local all, serves = open_store(job, host, port, seconds)
  local meet = {}
  job.watch = watcher(job, limit)

  local function join(here)
    if o.rdzv_backend == "static" and o.rdzv_endpoint == "" then return join_static(job, here, seconds) end
    return join_dynamic(job, here, seconds, last_call)
  end

  function meet.round(restarts)
    while true do
      local here = stores.PrefixStore(("tocha/launch/%s/%d"):format(o.rdzv_id, number), all)
      number = number + 1
      local index, size = join(here)
      local own = serves and stores.TCPStore(host, 0, nil, true, nil, false)
      if own then here:set("port", tostring(own.port)) end
      if index < size then
        wait_for(job, seconds, function() return here:check {"port"} end, function() return "the launcher that serves the store is gone" end)
        local port_of_round = tonumber(here:get "port")
        local first, world_size = count_ranks(here, index, size)
        return {restarts = restarts, first_rank = first, world_size = world_size, group_rank = index, group_size = size, address = host,
          port = port_of_round, store = own or stores.TCPStore(host, port_of_round, nil, false, 5, false), here = here, beats = {},
          name_of = function(rank) return ("rank %d (%s, process %s)"):format(rank.rank, job.host, rank.pid or "none") end}
      end
      here:add("late", 1)
      wait_for(job, math.huge, function() return here:check {"over"} end)
    end
  end

  -- Waits until another machine says why a process here fell, or is found to be gone, or until all others were heard of since: then the
  -- cause is here.
  local function wait_for_cause(round)
    local since = processes.now()
    local function all_are_there()
      for _, seen in pairs(round.beats) do
        if seen.time < since then return false end
      end
      return processes.now() - since > cause_comes
    end
    pcall(wait_for, job, limit + 2 * cause_comes, function() return news(job, round, limit) or all_are_there() end, function() return "" end)
    if job.signal then error({signal = job.signal}, 0) end
  end

  -- Says what has failed, unless another machine has, or is gone.
  local function say_failure(round, first, may_restart)
    local function stood() return rendezvous.group_stood(round.store) end
    if report.is_consequence(first) then wait_for_cause(round) end
    if round.here:check {"changed"} then return end
    local line = ("%s %s"):format(round.name_of(first), report.ending_with_words(job, first))
    round.here:compare_set("failed", "", (may_restart(first, stood) and "again\n" or "final\n") .. line)
  end

  --- Says what becomes of a round: "done", "changed", or "failed" and if it may be tried again.
  function meet.settle(round, first, may_restart)
    if round.lost then return "failed", false end
    local ok, what, again = pcall(function()
      if first then say_failure(round, first, may_restart) end
      local what = (round.here:check {"failed"} and "failed") or (round.here:check {"changed"} and "changed")
        or wait_for_all(job, round, limit)
      if what ~= "failed" then return what end
      local verdict, line = round.here:get "failed":match "^(%a+)\n(.*)$"
      if not first or line:sub(1, #round.name_of(first)) ~= round.name_of(first) then round.elsewhere = line end
      return "failed", verdict == "again"
    end)
    if not ok then
      if type(what) == "table" and what.signal then error(what, 0) end
      round.lost = what
      return "failed", false
    end
    if what == "changed" then round.why = round.here:get "changed" end
    if what ~= "done" then round.here:set("over", "1") end
    return what, again
  end

  --- Leaves the store. The launcher that serves it waits for the others.
  function meet.leave(round)
    if round.lost then return end
    pcall(function()
      round.here:add("left", 1)
      if not serves then return end
      wait_for(job, farewell, function() return round.here:add("left", 0) >= alive(round) end, function() return "" end)
    end)
  end
  return meet
end
