-- init.lua: the launcher: `tocha --nproc N script.lua` and `tocharun`.
local torch = ...
local processes = torch._processes
local options, ranks, report = torch._part "launch.options", torch._part "launch.ranks", torch._part "launch.report"

-- Returns the number of processes of this machine.
local function local_size(text)
  local n = math.tointeger(tonumber(text))
  if n and n > 0 then return n end
  local gpus = (text == "gpu" or text == "auto") and torch.cuda.is_available() and torch.cuda.device_count()
  if text == "gpu" and not gpus then
    error({usage = "Cuda is not available.\nhint: --nproc cpu starts one process for each processor"}, 0)
  end
  if gpus then return gpus end
  if text == "cpu" or text == "auto" then return processes.usable_processors() end
  error({usage = ("Unsupported nproc_per_node value: %s"):format(text)}, 0)
end

local function first_bytes(path)
  local file = io.open(path, "rb")
  local bytes = file and file:read(4)
  if file then file:close() end
  return bytes
end

-- Returns the whole command: a script of Lua goes to tocha, one of Python to Python, a program is what it is.
local function command_of(o, program)
  local first = o.command[1]
  local front
  if first == "-e" then
    front = {program}
  elseif o.no_python then
    front = {}
  elseif first:find "%.py$" then
    front = {os.getenv "PYTHON_EXEC" or "python3", "-u"}
  else
    local bytes = first_bytes(first)
    local is_program = not bytes or bytes:find "^#!" or bytes == "\x7fELF"
    front = (first:find "%.lua$" or not is_program) and {program} or {}
  end
  return table.move(o.command, 1, #o.command, #front + 1, front)
end

-- Returns the folder for log files, if any are wanted.
local function log_folder(o, id)
  local wanted = o.redirects ~= "0" or o.tee ~= "0" or o.log_dir
  if not wanted then return nil end
  local folder = ("%s/%s_%d"):format(o.log_dir or (os.getenv "TMPDIR" or "/tmp") .. "/tocharun", id, processes.process_number())
  if not o.log_dir then io.stderr:write("tocharun: the log files are in ", folder, "\n") end
  return folder
end

-- Returns what is the same for all rounds.
local function job_of(o, program)
  local id = o.rdzv_id ~= "none" and o.rdzv_id or ("%d-%d"):format(processes.process_number(), processes.wall_clock() // 1000)
  local job = {options = o, id = id, program = program, inherited = processes.environment(), host = processes.machine_name(),
    local_size = local_size(o.nproc_per_node)}
  job.several = job.local_size > 1 or o.max_nodes > 1
  job.command = command_of(o, program)
  job.log_folder = log_folder(o, id)
  job.trace_folder = torch._part "launch.traces".of(o, job.log_folder)
  job.environment_of = function(round, rank) return torch._part "launch.environment".of(job, round, rank) end
  return job
end

-- Lets the processes of a round run, and returns the first failure of them, if there is one.
local function run(job, round)
  round.ranks = {}
  for i = 0, job.local_size - 1 do round.ranks[i + 1] = {local_rank = i, rank = round.first_rank + i} end
  round.inherits = not job.several
  local start = job.options.mpi and torch._part "launch.mpi".run or ranks.run
  start(job, round)
  return report.first(round)
end

-- Says that a round ended without success.
local function tell(job, round, first)
  io.stdout:flush()
  if round.lost then
    io.stderr:write("The launcher that serves the store is gone: ", tostring(round.lost):match "^[^\n]*", "\n")
  elseif round.why then
    io.stderr:write(("A new round: %s.\n"):format(round.why))
  end
  if first or round.elsewhere then io.stderr:write(report.text(job, round, first)) end
end

-- Runs rounds until one succeeds or none may follow. Returns the exit code.
local function run_rounds(job, meet)
  local restarts, most = 0, job.options.max_restarts
  -- A script that failed with an error before its group stood would fail again.
  local function may_restart(first, stood) return not first.unstarted and restarts < most and (not first.error or stood()) end
  while true do
    local round = meet.round(restarts)
    local first = run(job, round)
    if job.signal then return 128 + job.signal end
    if job.closed then return 1 end
    local what, again = meet.settle(round, first, may_restart)
    if what ~= "done" then tell(job, round, first) end
    if what == "done" or what == "failed" and not again then
      meet.leave(round)
      return what == "done" and 0 or 1
    end
    if what == "failed" then
      restarts = restarts + 1
      io.stderr:write(("Restart %d of %d.\n"):format(restarts, most))
    end
  end
end

-- Returns the exit code of a command line.
local function launch(o, program)
  if o.trace then return torch._part "launch.trace".tell(o.trace, o.timeline) end
  if o.mpi and o.max_nodes > 1 then
    error({usage = "--mpi starts the processes of one machine\nhint: on several machines, start the script by mpirun itself"}, 0)
  end
  if o.hosts then return torch._part "launch.remote".hosts(o, program) end
  processes.adopt_orphans()
  local guard = processes.guard()
  local job = job_of(o, program)
  job.guard, job.signals = guard, assert(processes.receive_signals(table.unpack(o.signals)))
  if job.inherited.TOCHA_ENDS_WITH_INPUT then -- this launcher was started by one on another host (remote.lua)
    job.input, job.inherited.TOCHA_ENDS_WITH_INPUT = 0, nil
  end
  return run_rounds(job, torch._part "launch.rendezvous".of(job))
end

--- Runs a command line: argv: its options and the script; name: the program's, for messages; program: the path of tocha.
--- Returns the exit code, and the signal by which to end, or nil.
return function(argv, name, program)
  local read, result = pcall(function()
    if argv[1] == "--mpi-rank" then return torch._part "launch.mpi".keep(table.move(argv, 2, #argv, 1, {})) end
    local o = options.read(argv, processes.environment())
    if o.help then
      io.stdout:write(options.usage(name))
      return 0
    end
    return launch(o, program)
  end)
  processes.kill_children()
  if read then return result end
  if type(result) == "table" and result.signal then return 128 + result.signal end
  if type(result) == "table" and result.usage then
    io.stderr:write(("%s: error: %s\nhint: %s --help shows the options\n"):format(name, result.usage, name))
    return 2
  end
  io.stderr:write(("%s: %s\n"):format(name, tostring(result)))
  return 1
end
