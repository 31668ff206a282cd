-- deaths.lua: lets one rank of a launched world die at a chosen point, and checks what the others say and that nothing is left behind.
--   local seconds, problem = require "deaths".check {engine = "gloo", ranks = 3, victim = 1, what = "all_reduce", moment = "within", way = "kill",
--     count = 1000, delay = 0.05}
-- seconds: after which the last survivor knew; nil if none has to know. problem: nil, or what is wrong.
local lfs = require "lfs"
local programs = require "programs"
local quote, read = programs.quote, programs.read

local deaths = {}

local DEADLINE = 60   -- seconds for a launcher

deaths.processors = tonumber(programs.output "nproc") or 2
deaths.moments = {"before", "within", "after"}
deaths.ways = {"kill", "segv", "stop", "exit", "error"}
deaths.collectives = {"all_reduce", "broadcast", "reduce", "all_gather", "all_gather_into_tensor", "gather", "scatter", "reduce_scatter",
  "reduce_scatter_tensor", "all_to_all", "all_to_all_single", "send", "barrier", "monitored_barrier", "all_gather_object"}
deaths.others = {"new_group", "ddp", "store", "init", "destroy"}

local endings = {
  kill = "was killed by signal 9 (SIGKILL)",
  segv = "was killed by signal 11 (SIGSEGV)",
  stop = "was stopped by a signal (SIGSTOP)",
  exit = "ended with exit code 3",
  error = "ended with exit code 1: ",
  memory = "was killed by signal 9 (SIGKILL) by the system: the limit of memory",
}

-- A rank. `died` gets the time of the death and the victim's process; each survivor's file the time and the words of its error.
local program = [[
local torch = require "torch"
local dist, ones, folder = torch.distributed, torch.ones, "FOLDER/"
local victim, what, moment, way, count, delay = VICTIM, "WHAT", "MOMENT", "WAY", COUNT, DELAY
local rank, size = tonumber(os.getenv "RANK"), tonumber(os.getenv "WORLD_SIZE")

local function note(name, text)
  local file = assert(io.open(folder .. name .. ".new", "w"))
  assert(file:write(text))
  assert(file:close())
  assert(os.rename(folder .. name .. ".new", folder .. name))
end

local process = assert(io.open "/proc/self/stat"):read "n"
local function text_of_death(pause) return ("%.6f %d"):format(torch._clock() + pause, process) end

local function signal(name)
  return function(pause)   -- no shell can be started at the moment when MPI's start, on another thread, changes the environment: "Bad address"
    repeat until os.execute(("(sleep %f; exec kill -%s $PPID) &"):format(pause, name))
  end
end
local ways = {
  kill = signal "KILL", segv = signal "SEGV", stop = signal "STOP",
  exit = function() os.exit(3) end,
  error = function() error "no data" end,
  memory = function()
    local all = {}
    for i = 1, 1000 do
      all[i] = torch.ones(4000000)
      note("died", text_of_death(0))
    end
  end,
}
local function die(pause)
  note("died", text_of_death(pause))
  ways[way](pause)
end
local function wait_for_death() while true do os.execute "sleep 1" end end

if rank == 0 then note("port", os.getenv "MASTER_PORT") end

-- Runs the function, and says its error.
local function survive(f)
  local ok, e = pcall(f)
  note("survivor" .. rank, ("%.6f %s\n%s"):format(torch._clock(), ok and "ended" or "failed", tostring(e)))
  if not ok then error(e, 0) end
end

local function meet() dist.init_process_group("BACKEND", {timeout = 30}) end

if what == "init" then
  if rank ~= victim then return survive(function()
    meet()
    while true do
      dist.barrier()
      dist.destroy_process_group()
      meet()
    end
  end) end
  if moment == "before" then
    die(0)
    wait_for_death()
  elseif moment == "within" then
    if way == "exit" or way == "error" then os.execute(("sleep %f"):format(delay)) end
    die(delay)
    while true do
      meet()
      dist.barrier()
      dist.destroy_process_group()
    end
  end
  meet()
  die(0)
  wait_for_death()
end

meet()
local x, y = ones(count), ones(count * size)
local function list() local all = {} for i = 1, size do all[i] = ones(count) end return all end
local parts, more = list(), list()
local root = (victim + 1) % size
local model = what == "ddp" and torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(64, 64 + count // 64), torch.nn.Tanh(),
  torch.nn.Linear(64 + count // 64, 8)))
local turn = 0
local store = what == "store" and dist.TCPStore(os.getenv "MASTER_ADDR", tonumber(os.getenv "MASTER_PORT"), nil, false, 60)

local operations = {
  all_reduce = function(o) return dist.all_reduce(x, o) end,
  broadcast = function(o) return dist.broadcast(x, victim, o) end,
  reduce = function(o) return dist.reduce(x, root, o) end,
  all_gather = function(o) return dist.all_gather(parts, x, o) end,
  all_gather_into_tensor = function(o) return dist.all_gather_into_tensor(y, x, o) end,
  gather = function(o) return dist.gather(x, rank == root and parts or nil, root, o) end,
  scatter = function(o) return dist.scatter(x, rank == victim and parts or nil, victim, o) end,
  reduce_scatter = function(o) return dist.reduce_scatter(x, parts, o) end,
  reduce_scatter_tensor = function(o) return dist.reduce_scatter_tensor(x, y, o) end,
  all_to_all = function(o) return dist.all_to_all(parts, more, o) end,
  all_to_all_single = function(o) return dist.all_to_all_single(y, y:clone(), o) end,
  barrier = function(o) return dist.barrier(o) end,
  monitored_barrier = function() dist.monitored_barrier() end,
  all_gather_object = function() dist.all_gather_object({}, {rank = rank, text = ("x"):rep(count % 65536)}) end,
  send = function()   -- the victim and each other rank, in turns
    if rank == victim then
      for r = 0, size - 1 do if r ~= rank then dist.recv(x, r) dist.send(x, r) end end
    else
      dist.send(x, victim)
      dist.recv(x, victim)
    end
  end,
  new_group = function()
    local group = dist.new_group()
    dist.all_reduce(x, {group = group})
    dist.destroy_process_group(group)
  end,
  ddp = function()
    model(ones(4, 64)):sum():backward()
  end,
  store = function()   -- each rank waits for the victim's word
    turn = turn + 1
    if rank == victim then
      store:set("turn" .. turn, "1")
      for r = 0, size - 1 do if r ~= victim then store:get(("turn%d/%d"):format(turn, r)) end end
    else
      store:get("turn" .. turn)
      store:set(("turn%d/%d"):format(turn, rank), "1")
    end
  end,
  destroy = function()
    dist.all_reduce(x)
    dist.destroy_process_group()
    meet()
  end,
}
local run = operations[what]
local can_wait = {all_reduce = 1, broadcast = 1, reduce = 1, all_gather = 1, all_to_all_single = 1, barrier = 1, reduce_scatter = 1}

if rank ~= victim then return survive(function()
  while true do run() end
end) end
run()
if moment == "within" then
  local pending = (way == "exit" or way == "error") and can_wait[what] and run {async_op = true}
  die(delay)
  while true do run() end
elseif moment == "after" then
  for _ = 1, 2 do run() end
end
die(0)
wait_for_death()
]]

-- --- the launcher's world --------------------------------------------------------------------------------

local function new_folder()
  local name = os.tmpname()
  os.remove(name)
  assert(lfs.mkdir(name))
  return name
end

-- Returns the names in a folder as a set.
local function names_in(folder)
  local names = {}
  for name in lfs.dir(folder) do names[name] = true end
  return names
end

-- Returns how many processes have a word among their arguments.
local function count_of(word)
  local count = 0
  for process in lfs.dir "/proc" do
    local words = process:find "^%d+$" and read("/proc/" .. process .. "/cmdline")
    if words and words:find(word, 1, true) then count = count + 1 end
  end
  return count
end
deaths.count_of = count_of

-- Returns the folder of the control group of memory (version 1) of this process, nil if no other one can be made in it.
local function memory_group()
  local path = (read "/proc/self/cgroup" or ""):match "%d+:memory:(%S+)"
  local folder = path and "/sys/fs/cgroup/memory" .. path
  local probe = folder and ("%s/deaths-%d"):format(folder, os.time())
  if not probe or not lfs.mkdir(probe) then return nil end
  lfs.rmdir(probe)
  return folder
end
deaths.memory_group = memory_group

--- Launches a script on the ranks. Returns the exit code. before: words before the command.
function deaths.launch(script, ranks, options, log, before)
  local _, _, code = os.execute(("ulimit -c 0; OMP_NUM_THREADS=1 %s timeout -s KILL %d %s --nproc %d %s %s >%s.out 2>%s.err"):format(
    before or "", DEADLINE, quote(programs.tocha), ranks, options or "", quote(script), log or script, log or script))
  return code
end

local mpi = {openmpi = "mpirun.openmpi", mpich = "mpirun.mpich"}
local MPI_VARIABLES = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1"

--- Returns true if the engine is there.
function deaths.has(engine)
  if mpi[engine] then return os.execute(("command -v %s >/dev/null"):format(mpi[engine])) == true end
  return true
end

local function launch_point(point, script, folder)
  if point.launch then return point.launch(script) end
  local before, options = ("env TMPDIR=%s/tmp"):format(folder), ""
  if mpi[point.engine] then
    before = ("%s %s TOCHA_MPIRUN=%s TOCHA_MPI=%s"):format(before, MPI_VARIABLES, mpi[point.engine], point.engine)
    options = "--mpi"
  end
  local group
  if point.way == "memory" then
    group = ("%s/%s"):format(memory_group(), folder:match "[^/]+$")
    assert(lfs.mkdir(group))
    programs.write(group .. "/memory.limit_in_bytes", tostring(1 << 30))
    before = ("sh -c 'echo $$ >%s/cgroup.procs; exec \"$@\"' - %s"):format(group, before)
  end
  local code = deaths.launch(script, point.ranks, options, nil, before)
  if group then os.execute(("sleep 0.1; rmdir %s"):format(group)) end
  return code
end

-- --- the check -------------------------------------------------------------------------------------------

-- What others may be running; "": several things.
local operations = {ddp = "", new_group = "", init = "", store = "", destroy = "", monitored_barrier = "barrier", all_gather_object = "all_gather",
  send = ""}

-- Returns what is wrong with the words of a survivor, or nil.
local function check_words(point, text, process)
  local dead = ("[Rr]ank %d"):format(point.victim)
  if not text:find(dead) then return "does not name the rank" end
  if not text:find("process " .. process, 1, true) then return "does not name the process" end
  if not text:find("process %d+ on [%w_.-]+%)") then return "does not name the host" end
  local ending = point.ending or endings[point.way]
  if not text:find(ending, 1, true) then return "does not say: " .. ending end
  local operation = operations[point.what] or point.what .. "%("
  if not text:find("rank %d+ %a+ %a+ing " .. operation) and not text:find "wait for each other in init_process_group"
    and not text:find "monitoredBarrier" then
    return "does not name " .. operation
  end
  if not text:find("script.lua:%d+") then return "names no line" end
end

-- Returns a name that is new in /dev/shm, and of which no process has the memory; others that run now may be about to take or to remove theirs.
function deaths.find_in_shared_memory(before)
  for name in pairs(names_in "/dev/shm") do
    local path = "/dev/shm/" .. name
    for look = 1, before[name] and 0 or 10 do
      if not lfs.attributes(path) or not os.execute(("! grep -qs '%s' /proc/[0-9]*/maps"):format(path)) then break end
      if look == 10 then return name end
      os.execute "sleep 0.1"
    end
  end
end

-- Returns the processes that have the folder among their arguments or in their environment.
local function processes_of(folder)
  local list = {}
  for process in lfs.dir "/proc" do
    local path = "/proc/" .. process
    local words = process:find "^%d+$" and (read(path .. "/cmdline") or "") .. (read(path .. "/environ") or "")
    if words and words:find(folder, 1, true) then list[#list + 1] = process end
  end
  return list
end

-- Returns true if one of the processes listens on a port. Others may have taken it meanwhile.
local function is_served(port, processes)
  local socket = (read "/proc/net/tcp" or ""):match((":%04X 00000000:0000 0A" .. ("%%s+%%S+"):rep(5) .. "%%s+(%%d+)"):format(port))
  for _, process in ipairs(socket and processes or {}) do
    local files = ("/proc/%s/fd/"):format(process)
    for file in lfs.dir(files) do
      if lfs.symlinkattributes(files .. file, "target") == ("socket:[%s]"):format(socket) then return true end
    end
  end
  return false
end

-- Looks for what is left behind. Returns words, or nil.
local function find_leftovers(folder, before)
  local port, left = tonumber(read(folder .. "/port") or ""), processes_of(folder)
  if port and is_served(port, left) then return "the port is still served" end
  if #left > 0 then
    os.execute "sleep 0.5"
    if #processes_of(folder) > 0 then return "a process is left" end
  end
  local shared = deaths.find_in_shared_memory(before)
  if shared then return "left in /dev/shm: " .. shared end
  for name in lfs.dir(folder .. "/tmp") do   -- but the traces of a failure, which the launcher names
    if name:sub(1, 1) ~= "." and name ~= "tocharun" then return "left in the folder of temporary files: " .. name end
  end
end

--- Lets one rank die.
function deaths.check(point)
  local folder, before = new_folder(), names_in "/dev/shm"
  local script = folder .. "/script.lua"
  lfs.mkdir(folder .. "/tmp")
  programs.write(script, (program:gsub("%u%u%u+", {FOLDER = folder, VICTIM = point.victim, WHAT = point.what, MOMENT = point.moment, WAY = point.way,
    COUNT = point.count, DELAY = ("%f"):format(point.delay), BACKEND = mpi[point.engine] and "mpi" or "gloo"})))
  local code = launch_point(point, script, folder)
  local function wrong(text, words)
    return nil, ("%s\n%s\n--- out\n%s--- err\n%s"):format(text, words or "", read(script .. ".out") or "", read(script .. ".err") or "")
  end
  if code == 0 then return wrong "the launcher ended well" end
  if code >= 124 then return wrong(("exit code %d"):format(code)) end
  local died, process = (read(folder .. "/died") or ""):match "(%S+) (%d+)"
  if not died then return wrong("the victim has not died", read(folder .. "/died")) end
  local latest
  for rank = 0, point.ranks - 1 do
    local text = rank ~= point.victim and read(folder .. "/survivor" .. rank)
    if rank ~= point.victim and not text then return wrong(("rank %d has said nothing"):format(rank)) end
    local time, how = (text or ""):match "^(%d+%.%d+) (%a+)\n"
    if text and not how then return wrong(("what rank %d has said cannot be read"):format(rank), text) end
    if how == "failed" then
      local problem = check_words(point, text, process)
      if problem then return wrong(("rank %d %s"):format(rank, problem), text) end
      -- when the system kills a process for memory is not known
      if point.way ~= "memory" then latest = math.max(latest or 0, tonumber(time) - tonumber(died)) end
    end
  end
  local left = find_leftovers(folder, before)
  if left then return wrong(left) end
  os.execute("rm -r " .. quote(folder))
  return latest
end

-- --- a training ------------------------------------------------------------------------------------------

-- It saves a checkpoint after each epoch. Rank DYING of the first round dies at a step.
local training = [[
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local rank, restarts = tonumber(os.getenv "RANK"), tonumber(os.getenv "TORCHELASTIC_RESTART_COUNT")
local checkpoint = "FOLDER/checkpoint.pt"
dist.init_process_group("gloo", {timeout = 30})
torch.manual_seed(1)
local model = nn.Sequential(nn.Linear(20, 30), nn.Tanh(), nn.Linear(30, 1))
local data = torch.randn(4 * RANKS * 8, 20)
local ddp = nn.parallel.DistributedDataParallel(model)
local optimizer = torch.optim.SGD(model:parameters(), {lr = 0.05, momentum = 0.9})
local first, steps = 1, 0
local file = io.open(checkpoint)
if file then
  file:close()
  local saved = torch.load(checkpoint)
  model:load_state_dict(saved.model)
  optimizer:load_state_dict(saved.optimizer)
  first = saved.epoch + 1
end
for epoch = first, 4 do
  for step = 1, 4 do
    steps = steps + 1
    if restarts == 0 and rank == DYING and steps == STEP then os.execute "kill -9 $PPID" end
    local at = ((step - 1) * RANKS + rank) * 8
    local loss = ddp(data:narrow(0, at, 8)):pow(2):mean()
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
  end
  if rank == 0 then
    torch.save({epoch = epoch, model = model:state_dict(), optimizer = optimizer:state_dict()}, checkpoint .. ".new")
    os.rename(checkpoint .. ".new", checkpoint)
  end
  dist.barrier()
end
if rank == 0 then
  local out = assert(io.open("FOLDER/digits", "w"))
  for p in model:parameters() do
    for _, v in ipairs(p:flatten():tolist()) do out:write(("%a\n"):format(v)) end
  end
  out:write("restarts ", restarts, "\n")
  out:close()
end
dist.destroy_process_group()
]]

-- The steps that the training makes.
deaths.steps = 16

--- Trains; `dying` < 0: nobody dies. Returns the digits, and the number of restarts; nil and what was said if that fails.
function deaths.train(ranks, dying, step)
  local folder = new_folder()
  local script = folder .. "/script.lua"
  programs.write(script, (training:gsub("%u%u%u%u+", {FOLDER = folder, DYING = dying, STEP = step, RANKS = ranks})))
  local code = deaths.launch(script, ranks, "--max-restarts 2")
  if code ~= 0 then return nil, read(script .. ".out") .. read(script .. ".err") end
  local digits, restarts = read(folder .. "/digits"):match "^(.*)restarts (%d+)\n$"
  os.execute("rm -r " .. quote(folder))
  return digits, tonumber(restarts)
end

-- --- random points ---------------------------------------------------------------------------------------

local function one_of(list) return list[math.random(#list)] end

--- Returns a random point. engines, ways: those to choose from.
function deaths.random(engines, ways)
  local ranks = math.random(2, 4)
  local what = math.random() < 0.7 and one_of(deaths.collectives) or one_of(deaths.others)
  local way = one_of(ways)
  if what == "init" and way == "stop" then way = "kill" end   -- who is stopped before it came may still come
  local engine = one_of(engines)
  if engine == "mpich" then ranks = math.min(ranks, deaths.processors) end   -- it spins: more take long
  return {engine = engine, ranks = ranks, victim = math.random(0, ranks - 1), what = what, moment = one_of(deaths.moments),
    way = way, count = math.tointeger(2 ^ math.random(0, what == "ddp" and 16 or 20)), delay = math.random() * 0.1}
end

--- Returns a point in words.
function deaths.describe(p)
  return ("%s, %d ranks: rank %d, %s %s, by %s, %d elements, %.3f s"):format(p.engine, p.ranks, p.victim, p.moment, p.what, p.way, p.count, p.delay)
end

return deaths
