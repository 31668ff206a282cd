-- mpi.lua: processes that mpirun starts. Each of them is a keeper, `tocha --mpi-rank command`, which starts the process of the rank, and waits
-- for it: so it is known how a rank ended, and mpirun, which ends all ranks when one of its processes fails, hears of it once the others had
-- time to say what they saw.
--
-- Values in the store of the round: fallen/RANK: how a rank failed;  over: how many have ended.
local torch = ...
local processes, ranks = torch._processes, torch._part "launch.ranks"
local stores, json, environment = torch._part "distributed.stores", torch._part "tools.json", torch._part "launch.environment"
local segments = torch._part "launch.segments"

local mpi = {}

-- Seconds: for the others to end by themselves after a failure; between two looks; for mpirun to end after one.
local own_end, look, patience = 1, 0.05, 5

-- MPICH's UCX ends a process that reads the memory of one that has died (its transport cma), so that the process cannot say what it saw.
local UCX_TRANSPORTS = "^cma"

-- Returns a list of variables for a process that is to see this environment.
local function list_of(variables)
  local list = {}
  for name, value in pairs(variables) do list[#list + 1] = name .. "=" .. value end
  return list
end

-- --- the launcher ----------------------------------------------------------------------------------------

-- Writes the rank before a line as this launcher does: Open MPI has "[1,0]<stdout>:".
local function translate(line) return (line:gsub("^%[%d+,(%d+)%]<std%a+>:", "[%1] ")) end

-- Returns mpirun's option for ranks before lines.
local function tagging(mpirun)
  local pipe = io.popen(mpirun .. " --version 2>/dev/null")
  local version = pipe and pipe:read "a" or ""
  if pipe then pipe:close() end
  if version:find "Open MPI" or version:find "OpenRTE" then return "--tag-output" end
  return version:find "HYDRA" and "-prepend-rank" or nil
end

-- Returns the ranks that failed, as their keepers say.
local function list_fallen(job, round)
  local fallen = {}
  for r = 0, job.local_size - 1 do
    local name = "fallen/" .. r
    if round.store:check {name} then fallen[#fallen + 1] = json.read(round.store:get(name)) end
  end
  return fallen
end

-- Removes the folder that Open MPI's mpirun leaves in the one for temporary files if it is killed.
local function remove_session(job, mpirun)
  local folder = (os.getenv "TMPDIR" or "/tmp"):gsub("'", "'\\''")
  local sessions = ("'%s'/ompi.'%s'.*"):format(folder, job.host)
  os.execute(("rm -rf %s/pid.%d; rmdir %s 2>/dev/null"):format(sessions, mpirun.pid, sessions))
end

--- Lets mpirun run a round to its end, as ranks.run does.
function mpi.run(job, round)
  local mpirun = os.getenv "TOCHA_MPIRUN" or "mpirun"
  local command = {mpirun, "-n", tostring(job.local_size)}
  command[#command + 1] = tagging(mpirun)
  table.move({job.program, "--mpi-rank"}, 1, 2, #command + 1, command)
  table.move(job.command, 1, #job.command, #command + 1, command)
  local outer = {restarts = round.restarts, world_size = round.world_size, questions = round.store, ranks = {{rank = 0, local_rank = 0, translate = translate}}}
  local function environment_of(_, rank)
    local variables = environment.of(job, round, rank)
    variables[#variables + 1] = "TOCHA_BACKEND=" .. (job.inherited.TOCHA_BACKEND or "mpi")
    if not job.inherited.UCX_TLS then variables[#variables + 1] = "UCX_TLS=" .. UCX_TRANSPORTS end
    return variables
  end
  local failed_at
  local function watch()   -- an mpirun that does not end
    failed_at = failed_at or round.store:check {"tocha/failed"} and processes.now()
    if failed_at and processes.now() - failed_at > patience then ranks.finish(job, outer, "kill") end
  end
  ranks.run(setmetatable({command = command, several = false, environment_of = environment_of, watch = watch}, {__index = job, __newindex = job}), outer)
  local own = outer.ranks[1]
  if own.unstarted then
    error(("%s cannot be started: %s\nhint: install Open MPI or MPICH (openmpi-bin, mpich), or name another in TOCHA_MPIRUN"):format(mpirun,
      own.unstarted), 0)
  end
  if outer.asked or own.failed then
    processes.kill_children(true)   -- ranks whose mpirun was killed
    remove_session(job, own)
    segments.remove(round.store, job.local_size)
  end
  round.ranks = list_fallen(job, round)
  if #round.ranks == 0 then round.ranks = outer.ranks end
end

-- --- the keeper ------------------------------------------------------------------------------------------

-- Returns what MPI's launcher says of this process: its rank, and its number on this host.
local function place()
  local function number(...)
    for _, name in ipairs {...} do
      local value = tonumber(os.getenv(name) or "")
      if value then return value end
    end
  end
  local rank = number("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")
  return rank, number("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID") or rank
end

-- Tells the launcher how the rank failed.
local function tell(round, rank)
  local error_of_rank, ending = rank.error and {text = rank.error.text, kind = rank.error.kind, time = rank.error.time}, rank.ending
  round.store:set("fallen/" .. rank.rank, json.write {rank = rank.rank, local_rank = rank.local_rank, pid = rank.pid, failed = true,
    time = rank.time, error = error_of_rank, ending = {code = ending.code, signal = ending.signal, for_memory = ending.for_memory}})
end

-- Says that the rank has failed and ended, and leaves the others time to end by themselves.
local function wait_for_others(job, round)
  local over = round.store:add("over", 1)
  local deadline = processes.now() + own_end
  while over < round.world_size and processes.now() < deadline and not job.signal do
    processes.wait({job.signals}, look)
    over = round.store:add("over", 0)
  end
end

--- Runs the command of this rank, and returns the exit code.
function mpi.keep(command)
  local options = torch._part "launch.options".read({"--", table.unpack(command)}, {})
  local number, local_rank = place()
  local job = {options = options, command = command, host = processes.machine_name(),
    signals = assert(processes.receive_signals())}
  local rank = {rank = number, local_rank = local_rank}
  local round = {restarts = 0, inherits = true, ranks = {rank}, world_size = tonumber(os.getenv "WORLD_SIZE"),
    store = stores.TCPStore(os.getenv "MASTER_ADDR", tonumber(os.getenv "MASTER_PORT"), nil, false, nil, false)}
  function job.environment_of()
    local variables = processes.environment()
    variables.RANK, variables.ROLE_RANK, variables.LOCAL_RANK = number, number, local_rank
    variables.TORCHELASTIC_ERROR_FILE, variables.TOCHA_LAUNCHER = rank.error_path, processes.process_number()
    return list_of(variables)
  end
  job.watch = segments.keep_note(round.store, rank)
  function round.fell() pcall(tell, round, rank) end
  ranks.run(job, round)
  if rank.failed then
    pcall(wait_for_others, job, round)
    return 1
  end
  pcall(round.store.add, round.store, "over", 1)
  return job.signal and 128 + job.signal or rank.ending.code
end

return mpi
