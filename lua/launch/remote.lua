-- remote.lua: processes that somebody else starts: launchers on other hosts, by ssh, and mpirun.
local torch = ...
local processes, ranks, report = torch._processes, torch._part "launch.ranks", torch._part "launch.report"
local traces = torch._part "launch.traces"

local remote = {}

-- Variables of the environment that the other hosts get, too.
local CARRIED = {"^TOCHA_", "^OMP_", "^NCCL_", "^GLOO_", "^TP_", "^CUDA_", "^LUA_", "^TORCH_"}

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function carried(name)
  for _, pattern in ipairs(CARRIED) do
    if name:find(pattern) then return true end
  end
end

-- Returns a list of variables for a process that is to see this environment.
local function list_of(environment)
  local list = {}
  for name, value in pairs(environment) do list[#list + 1] = name .. "=" .. value end
  return list
end

-- Returns the options without --hosts, as words.
local function other_options(o)
  local words, skip = {}, false
  for _, word in ipairs(o.options) do
    if skip then
      skip = false
    elseif word == "--hosts" then
      skip = true
    elseif not word:find "^%-%-hosts=" and word ~= "--" then
      words[#words + 1] = word
    end
  end
  return words
end

-- Returns the command line of the launcher on host number `rank`.
local function line_for(o, program, hosts, rank, port)
  local words = {program, "--nnodes", #hosts, "--node-rank", rank, "--master-addr", hosts[1], "--master-port", port}
  table.move(other_options(o), 1, #other_options(o), #words + 1, words)
  table.move(o.command, 1, #o.command, #words + 1, words)
  for i, word in ipairs(words) do words[i] = quote(tostring(word)) end
  local variables = {"TOCHA_ENDS_WITH_INPUT=1"}
  for name, value in pairs(processes.environment()) do
    if carried(name) then variables[#variables + 1] = name .. "=" .. quote(value) end
  end
  local _, _, folder = torch._process()
  return ("cd %s && exec env %s %s"):format(quote(folder), table.concat(variables, " "), table.concat(words, " "))
end

--- Runs a launcher on each of --hosts, and returns the exit code. They end when their standard input does.
function remote.hosts(o, program)
  local hosts, low, range = {}, 20000, 10000 -- below the ports that systems give out by themselves
  for host in o.hosts:gmatch "[^,]+" do hosts[#hosts + 1] = host end
  local port = o.given.master_port and o.master_port or low + processes.wall_clock() // 1000 % range
  local job = {options = o, host = processes.machine_name(), local_size = #hosts, guard = processes.guard(),
    signals = assert(processes.receive_signals(table.unpack(o.signals))), memory_kills = report.memory_kills(), command = {"ssh"}}
  job.environment_of = function() return list_of(processes.environment()) end
  local round = {restarts = 0, ranks = {}}
  for i, host in ipairs(hosts) do
    local line = line_for(o, program, hosts, i - 1, port)
    local own = processes.is_own_host(host)
    round.ranks[i] = {rank = i - 1, local_rank = i - 1, leashed = true,
      command = own and {"sh", "-c", line} or {"ssh", "-o", "BatchMode=yes", host, line}}
  end
  ranks.run(job, round)
  if job.signal then return 128 + job.signal end
  for i, rank in ipairs(round.ranks) do
    local code = rank.ending and rank.ending.code
    if rank.unstarted or code == 255 then io.stderr:write(("ssh does not reach %s\n"):format(hosts[i])) end
  end
  return report.first(round) and 1 or 0
end

-- Writes the rank before a line as this launcher does: Open MPI has "[1,0]<stdout>:".
local function translate(line) return (line:gsub("^%[%d+,(%d+)%]<std%a+>:", "[%1] ")) end

-- Returns mpirun's option for ranks before lines.
local function tagging(mpirun)
  local pipe = io.popen(mpirun .. " --version 2>/dev/null")
  local version = pipe and pipe:read "a" or ""
  if pipe then pipe:close() end
  if version:find "Open MPI" then return "--tag-output" end
  return version:find "HYDRA" and "-prepend-rank" or nil
end

--- Lets mpirun start the processes of a job, and returns the exit code. They meet in a store of this launcher's.
function remote.mpi(job)
  local store = torch._part "distributed.stores".TCPStore("127.0.0.1", 0, nil, true, nil, false)
  local mpirun = os.getenv "TOCHA_MPIRUN" or "mpirun"
  local environment = processes.environment()
  environment.MASTER_ADDR, environment.MASTER_PORT = "127.0.0.1", tostring(store.port)
  environment.TORCHELASTIC_USE_AGENT_STORE, environment.TOCHA_BACKEND = "True", "mpi"
  environment.OMP_NUM_THREADS = environment.OMP_NUM_THREADS or tostring(math.max(1, processes.usable_processors() // job.local_size))
  local round = {restarts = 0, ranks = {{rank = 0, local_rank = 0, translate = translate}}}
  environment.TOCHA_TRACE_DIR = traces.folder(job, round)
  local command = {mpirun, "-n", tostring(job.local_size)}
  command[#command + 1] = tagging(mpirun)
  job.command = table.move(job.command, 1, #job.command, #command + 1, command)
  job.environment_of = function() return list_of(environment) end
  job.several = false
  ranks.run(job, round)
  if job.signal then return 128 + job.signal end
  local first = report.first(round)
  if first and first.unstarted then
    error(("%s cannot be started: %s\nhint: install Open MPI or MPICH (openmpi-bin, mpich), or name another in TOCHA_MPIRUN"):format(mpirun,
      first.unstarted), 0)
  end
  local folder = first and traces.folder_with_files(job, round)
  if folder then io.stderr:write(traces.hint(folder), "\n") end
  return first and 1 or 0
end

return remote
