-- ranks.lua: the processes of one round on this machine: they start together, and end together.
local torch = ...
local processes, output = torch._processes, torch._part "launch.output"
local json, questions = torch._part "tools.json", torch._part "launch.questions"

local ranks = {}

-- Seconds: for the others to end of themselves after a failure, so that each says what it saw; between the steps that follow
-- Ctrl-C; for a process to end by the terminal's; between two looks, and if the system cannot tell of a process's end.
local own_end, patience, short, pace, look = 1, 5, 0.5, 0.1, 0.02

local log_names = {"stdout.log", "stderr.log"}

-- Returns the streams of a process.
local function streams_of(job, round, rank)
  local o, streams = job.options, {}
  local redirected, teed = {o.redirected(rank.local_rank)}, {o.teed(rank.local_rank)}
  local shown = not o.shown or o.shown[rank.local_rank] or false
  for target = 1, 2 do
    local path = (redirected[target] or teed[target]) and ("%s/%s"):format(rank.folder, log_names[target]) or nil
    if not path and shown and round.inherits then
      streams[target] = {target = target, writes = target, inherited = true, last = {}}
    else
      streams[target] = output.open(target, rank.prefix, path, shown and (teed[target] or not redirected[target]),
        rank.translate)
    end
  end
  return streams
end

-- Returns the text before the lines of a process.
local function prefix_of(job, rank)
  if not job.several and not job.options.log_line_prefix_template then return "" end
  local values = {rank = rank.rank, local_rank = rank.local_rank, role_name = job.options.role, hostname = job.host}
  return ((job.options.log_line_prefix_template or "[${rank}] "):gsub("%${([%w_]+)}", values))
end

-- Starts one process. Returns nil and a message if it cannot be started.
local function start(job, round, rank)
  rank.prefix = prefix_of(job, rank)
  if job.log_folder then
    rank.folder = ("%s/attempt_%d/%d"):format(job.log_folder, round.restarts, rank.local_rank)
    torch._part "tools.shell".make_folders(rank.folder)
  end
  rank.error_file, rank.error_path = processes.scratch()
  local streams = streams_of(job, round, rank)
  local first_reads = rank.local_rank == 0 and not job.input and not processes.is_terminal(0)
  local input = first_reads and 0 or processes.open("/dev/null", "r")
  if round.inherits then input = 0 end
  if rank.leashed then input, rank.leash = processes.pipe() end
  local environment = job.environment_of(round, rank)
  local pid, message = processes.start {arguments = rank.command or job.command, environment = environment, input = input,
    output = streams[1].writes, errors = streams[2].writes, own_group = not round.inherits,
    guard = not round.inherits and job.guard or nil}
  if input ~= 0 then processes.close(input) end
  for _, stream in ipairs(streams) do
    if not stream.inherited then output.started(stream) end
  end
  if not pid then return nil, message end
  rank.pid, rank.streams, rank.grouped = pid, streams, not round.inherits
  rank.watch = processes.watch(pid)
  return true
end

-- Reads what a process has left in its error file.
local function error_of(rank)
  local text = processes.content(rank.error_file) or ""
  if text == "" then return nil end
  local read, value = pcall(json.read, text)
  local message = read and type(value) == "table" and value.message
  if type(message) ~= "table" then return {text = message and tostring(message) or text} end
  local extra = type(message.extraInfo) == "table" and message.extraInfo or {}
  return {text = tostring(extra.py_callstack or message.message), kind = extra.kind,
    time = math.tointeger(extra.nanoseconds) or math.tointeger(tonumber(extra.timestamp)) and math.tointeger(tonumber(extra.timestamp)) * 1000000000}
end

-- Says in the store how a process ended, for those who miss it; of the first one also for those who wait for it before the group stands.
-- A store that did not answer is not tried again.
local function tell_others(job, round, rank)
  if round.store_is_silent then return end
  local words = torch._part "launch.report".ending_with_words(job, rank)
  round.store_is_silent = not pcall(function()
    round.store:set("tocha/ended/" .. rank.rank, words)
    round.store:compare_set("tocha/failed", "", ("Rank %d (process %d on %s) %s"):format(rank.rank, rank.pid, job.host, words))
  end)
end

-- Returns true if the system has killed a process for want of memory which no rank is yet known to be.
local function is_for_memory(round, ending)
  if ending.signal_name ~= "SIGKILL" or processes.memory_kills() <= round.memory_kills then return false end
  round.memory_kills = round.memory_kills + 1
  return true
end

-- Notes how a process ended.
local function note_ending(job, round, rank, ending)
  rank.ending, rank.time = ending, processes.wall_clock()
  if ending.code == 0 and not ending.signal then return end
  ending.for_memory = is_for_memory(round, ending)
  rank.error = error_of(rank)
  rank.was_asked = round.asked
  if not round.asked then
    rank.failed = true
    round.failed_at = round.failed_at or processes.now()
    if round.store then tell_others(job, round, rank) end
    if round.fell then round.fell() end
  end
end

-- Looks if a process has ended. That of a failure is told before the system has freed the memory of the process, which can take seconds, and
-- lets its parent collect it.
local function look_at(job, round, rank)
  if not rank.pid or rank.collected then return end
  local ending = processes.ended(rank.pid)
  if ending then
    rank.collected = true
    if rank.watch then processes.close(rank.watch) end
    rank.watch = nil
    round.alive = round.alive - 1
  end
  if rank.ending then return end
  ending = ending or processes.find_ending(rank.pid)
  if ending then note_ending(job, round, rank, ending) end
end

local function signal_all(round, name)
  for _, rank in ipairs(round.ranks) do
    if rank.pid and not rank.ending then processes.signal(rank.pid, name, rank.grouped) end
  end
end

-- Lets go of launchers that end with their standard input.
local function release(round)
  for _, rank in ipairs(round.ranks) do
    if rank.leash then processes.close(rank.leash) end
    rank.leash = nil
  end
end

-- Asks the processes to end by one signal after another: steps = {{seconds from now, signal}, ...}.
local function ask(round, steps)
  if round.asked and round.asked.order >= steps.order then return end
  steps.since, steps.next, round.asked = processes.now(), 1, steps
end

local function take_steps(round)
  local asked = round.asked
  if asked then release(round) end
  while asked and asked[asked.next] and processes.now() - asked.since >= asked[asked.next][1] do
    signal_all(round, asked[asked.next][2])
    asked.next = asked.next + 1
  end
end

--- Asks the processes of a round to end. how: "stop" (a restart), "failure", "interrupt", "terminate", "kill". signal: by
--- which they are asked, SIGTERM without one.
function ranks.finish(job, round, how, signal)
  local grace = job.options.shutdown_timeout
  if round.ranks[1].leashed and how ~= "kill" then
    ask(round, {order = 1, {2 * patience, "TERM"}, {3 * patience, "KILL"}})
  elseif how == "interrupt" then
    local first = round.inherits and short or 0 -- the terminal has told a process of the launcher's own group already
    ask(round, {order = 2, {first, "INT"}, {patience, "TERM"}, {2 * patience, "KILL"}})
  elseif how == "kill" then
    ask(round, {order = 3, {0, "KILL"}})
  else
    ask(round, {order = how == "terminate" and 2 or 1, {0, signal or "TERM"}, {grace, "KILL"}})
  end
end

-- Signals that say the same as SIGTERM: the processes get that one.
local ends = {SIGTERM = true, SIGHUP = true, SIGQUIT = true}

-- Reads signals that the launcher has received.
local function read_signals(job, round)
  for number in (processes.read(job.signals, 64) or ""):gmatch "." do
    local name = processes.signal_name(number:byte())
    if name == "SIGUSR1" and job.options.tells then
      questions.ask(round)
    else
      job.signal = job.signal or number:byte()
      job.signal_count = (job.signal_count or 0) + 1
      ranks.finish(job, round, job.signal_count > 1 and "kill" or name == "SIGINT" and "interrupt" or "terminate",
        not ends[name] and name or nil)
    end
  end
end

-- Reads what the launcher on another host, which started this one, says: a question, or by its end that all is to end.
local function read_input(job, round)
  if processes.read(job.input, 1024) ~= "" then return questions.ask(round) end
  job.input, job.signal = nil, job.signal or processes.signal_number "TERM"
  ranks.finish(job, round, "terminate")
end

-- Returns the files to wait for, and how long.
local function list_files(job, round)
  local files, limit = {job.signals, job.input}, pace
  for _, rank in ipairs(round.ranks) do
    if not rank.collected then
      if rank.watch then files[#files + 1] = rank.watch else limit = look end
    end
    for _, stream in ipairs(rank.streams or {}) do files[#files + 1] = stream.reads end
  end
  local asked, now = round.asked, processes.now()
  if asked and asked[asked.next] then limit = math.min(limit, asked.since + asked[asked.next][1] - now) end
  if round.failed_at and not asked then limit = math.min(limit, round.failed_at + own_end - now) end
  return files, math.max(limit, 0)
end

local function read_streams(job, round)
  for _, rank in ipairs(round.ranks) do
    for _, stream in ipairs(rank.streams or {}) do
      if stream.reads and not output.read(stream) then
        job.closed = true
        ranks.finish(job, round, "terminate")
      end
    end
  end
end

-- Writes a file of a process's folder.
local function write_file(rank, name, how, text)
  local file = processes.open(rank.folder .. "/" .. name, how)
  if not file then return end
  processes.write(file, text)
  processes.close(file)
end

-- Keeps the error of a process in its folder: as torchrun does, and where its stderr would have it.
local function keep_error(job, rank)
  local text = processes.content(rank.error_file) or ""
  if text ~= "" then write_file(rank, "error.json", "w", text) end
  local _, redirected = job.options.redirected(rank.local_rank)
  local _, teed = job.options.teed(rank.local_rank)
  if rank.error and (redirected or teed) then write_file(rank, log_names[2], "a", rank.error.text .. "\n") end
end

-- Ends what the processes have left behind, and closes their files.
local function clean_up(job, round)
  release(round)
  for _, rank in ipairs(round.ranks) do
    if rank.pid and rank.grouped then
      processes.signal(rank.pid, "KILL", true)
      if job.guard then processes.release_group(job.guard, rank.pid) end
    end
  end
  for _, rank in ipairs(round.ranks) do
    for _, stream in ipairs(rank.streams or {}) do
      if not stream.inherited then
        output.drain(stream)
        output.close(stream)
      end
    end
    if rank.error_file then
      if rank.folder then keep_error(job, rank) end
      processes.remove_scratch(rank.error_file, rank.error_path)
    end
  end
end

-- Starts all processes. If one cannot be started, the others are ended.
local function start_all(job, round)
  for _, rank in ipairs(round.ranks) do
    local started, message = start(job, round, rank)
    if not started then
      rank.failed, rank.unstarted, rank.time = true, message, processes.wall_clock()
      ranks.finish(job, round, "kill")
      return
    end
    round.alive = round.alive + 1
  end
end

--- Runs a round to its end: {ranks = {{rank, local_rank}, ...}, restarts, inherits: the process uses the launcher's own streams}.
--- Afterwards each rank has `ending`, and `failed` if it failed of itself. job.watch(round) is called all the time,
--- round.fell() when a process has failed.
function ranks.run(job, round)
  round.alive, round.memory_kills = 0, processes.memory_kills()
  start_all(job, round)
  while round.alive > 0 do
    local files, limit = list_files(job, round)
    local ready = processes.wait(files, limit)
    if ready[job.signals] then read_signals(job, round) end
    if job.input and ready[job.input] then read_input(job, round) end
    read_streams(job, round)
    for _, rank in ipairs(round.ranks) do look_at(job, round, rank) end
    if round.failed_at and processes.now() - round.failed_at >= own_end then ranks.finish(job, round, "failure") end
    if job.watch and not round.asked then job.watch(round) end
    if round.question then questions.look(job, round) end
    take_steps(round)
  end
  clean_up(job, round)
end

return ranks
