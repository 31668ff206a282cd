-- remote.lua: launchers on other hosts, started by ssh.
local torch = ...
local processes, ranks, report = torch._processes, torch._part "launch.ranks", torch._part "launch.report"

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
    signals = assert(processes.receive_signals(table.unpack(o.signals))), command = {"ssh"}}
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

return remote
