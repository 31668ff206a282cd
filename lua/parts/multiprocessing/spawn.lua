-- multiprocessing/spawn.lua: torch.multiprocessing.spawn: one function in several processes.
local torch = ...
local support = torch._part "support"
local process = torch._part "multiprocessing.process"
local processes = rawget(torch, "_processes")

local spawn = {}

-- Raises an error of the class, with its fields.
local function raise(kind, message, fields)
  local _, err = pcall(torch._raise, "RuntimeError", message)
  err.code = kind
  for name, value in pairs(fields) do err[name] = value end
  error(err, 0)
end

local ProcessContext = support.class("ProcessContext", nil, "torch.multiprocessing.spawn")
spawn.ProcessContext = ProcessContext

function ProcessContext:init(list) self.processes, self.running = list, table.move(list, 1, #list, 1, {}) end

--- Returns the numbers of the processes.
function ProcessContext:pids()
  local pids = {}
  for i, p in ipairs(self.processes) do pids[i] = p.pid end
  return pids
end

-- Waits for all processes, at most `timeout` seconds together.
local function join_all(list, timeout)
  local deadline = processes.now() + timeout
  for _, p in ipairs(list) do p:join(math.max(0, deadline - processes.now())) end
end

-- Raises the error of a process that has failed.
local function raise_failure(p, index)
  local fields = {error_index = index, error_pid = p.pid}
  if p.failure ~= "" then
    raise("ProcessRaisedException", ("\n\n-- Process %d terminated with the following error:\n%s"):format(index, p.failure), fields)
  end
  fields.exit_code = p.exitcode
  if p.exitcode >= 0 then raise("ProcessExitedException", ("process %d terminated with exit code %d"):format(index, p.exitcode), fields) end
  fields.signal_name = p.ending.signal_name
  raise("ProcessExitedException", ("process %d terminated with signal %s"):format(index, fields.signal_name), fields)
end

-- Ends the processes that still run.
local function end_all(list, grace_period)
  if grace_period then join_all(list, grace_period) end
  for _, p in ipairs(list) do p:terminate() end
  join_all(list, grace_period or 30)
  for _, p in ipairs(list) do
    p:kill()
    p:join()
  end
end

local read_join = torch._define "join(timeout?, grace_period?)"

--- Waits for the processes. Returns true once all have succeeded; if one fails, ends the others and raises.
function ProcessContext:join(...)
  local a = read_join(...)
  if #self.running == 0 then return true end
  process.wait_for_any(self.running, a.timeout)
  local running, failed, index = {}, nil, nil
  for i, p in ipairs(self.processes) do
    if p:is_alive() then
      running[#running + 1] = p
    elseif p.exitcode ~= 0 and not failed then
      failed, index = p, i - 1
    end
  end
  self.running = running
  if not failed then return #running == 0 end
  end_all(self.processes, a.grace_period)
  self.running = {}
  raise_failure(failed, index)
end

-- Checks how processes are to start.
local function check_method(method)
  if method == "spawn" then return end
  local known = method == "fork" or method == "forkserver"
  if not known then support.fail("ValueError", "cannot find context for '%s'", tostring(method)) end
  torch._raise("ValueError", ("start method '%s' is not here"):format(method), "processes start by 'spawn'")
end
spawn.check_method = check_method

local function start(a)
  check_method(a.start_method)
  local args = support.is_plain(a.args) and a.args or {a.args} -- nil: none
  process.interpreter()
  local parcel, list = process.packed(a.fn, args), {}
  for i = 1, a.nprocs do
    list[i] = process.Process {target = a.fn, daemon = a.daemon}
    list[i]:start(parcel, i - 1)
  end
  process.release(parcel)
  local context = ProcessContext(list)
  if not a.join then return context end
  repeat until context:join()
end

local read = torch._define "start_processes(fn, args?, nprocs=1, join=true, daemon=false, start_method='spawn')"
--- Starts `nprocs` processes that call fn(i, ...args); the same as spawn.
function spawn.start_processes(...) return start(read(...)) end

local read_spawn = torch._define "spawn(fn, args?, nprocs=1, join=true, daemon=false, start_method='spawn')"
--- Calls fn(i, ...args) in `nprocs` new processes, i from 0 on. Waits for them, or returns a ProcessContext if join is false.
-- Functions travel with their upvalues and the globals that they mention; tensors are copied.
function spawn.spawn(...)
  local a = read_spawn(...)
  if a.start_method ~= "spawn" then
    torch._part "support".fail("ValueError", "This method only supports start_method=spawn (got: %s).\nTo use a different start_method "
      .. "use:\n\t\t torch.multiprocessing.start_processes(...)", tostring(a.start_method))
  end
  return start(a)
end

return spawn
