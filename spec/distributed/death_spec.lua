-- death_spec.lua: ranks that die: each survivor names the dead one, and how it ended, within a second; nothing is left behind; and a training that is
-- started again from its checkpoint ends with the digits of an undisturbed one.
-- DEATHS=500 DEATH_SEED=1 busted spec/distributed/death_spec.lua: so many random points, with their figures.
local lfs = require "lfs"
local programs = require "programs"
local quote, read = programs.quote, programs.read

local RANKS, DEADLINE = 3, 60   -- DEADLINE: seconds for a launcher
local random_points = math.tointeger(tonumber(os.getenv "DEATHS" or 0))

-- A rank: all meet, and one of them dies. `died` gets the time of it, and each survivor's file the time and the words of its error.
local program = [[
local torch = require "torch"
local dist, ones, folder = torch.distributed, torch.ones, "FOLDER/"
local victim, moment, way, count, delay = VICTIM, "MOMENT", "WAY", COUNT, DELAY
local rank = tonumber(os.getenv "RANK")
local function note(name, text)
  local file = assert(io.open(folder .. name, "w"))
  file:write(text)
  file:close()
end
if rank == 0 then note("port", os.getenv "MASTER_PORT") end
dist.init_process_group("gloo", {timeout = 30})
local x = ones(count)
dist.all_reduce(x)

local ways = {
  kill = function(pause) os.execute(("(sleep %f; kill -9 $PPID) &"):format(pause)) end,
  segv = function(pause) os.execute(("(sleep %f; kill -SEGV $PPID) &"):format(pause)) end,
  exit = function() os.exit(3) end,
  error = function() error "no data" end,
}
local function die(pause)
  note("died", torch._clock() + pause)
  ways[way](pause)
end
local function work()
  for _ = 1, 1000000 do dist.all_reduce(x) end
end
if rank == victim then
  if moment == "before" then
    die(0)
    while true do os.execute "sleep 1" end
  elseif moment == "within" then
    local pending = way ~= "kill" and way ~= "segv" and dist.all_reduce(x, {async_op = true})
    die(delay)
    work()
  else
    for _ = 1, 3 do dist.all_reduce(x) end
    die(0)
    while true do os.execute "sleep 1" end
  end
else
  if moment == "after" then
    for _ = 1, 3 do dist.all_reduce(x) end
    os.execute "sleep 0.1"
  end
  local ok, e = pcall(work)
  note("survivor" .. rank, torch._clock() .. "\n" .. tostring(e))
  error(e, 0)
end
]]

local endings = {
  kill = "was killed by signal 9 %(SIGKILL%)",
  segv = "was killed by signal 11 %(SIGSEGV%)",
  exit = "ended with exit code 3",
  error = "no data",
}
local moments, ways = {"before", "within", "after"}, {"kill", "segv", "exit", "error"}

local function new_folder()
  local name = os.tmpname()
  os.remove(name)
  assert(lfs.mkdir(name))
  return name
end

-- Returns the names in the system's folder of shared memory.
local function shared_memory()
  local names = {}
  for name in lfs.dir "/dev/shm" do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, "\n")
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

-- Launches a script on the ranks. Returns the exit code.
local function launch(script, ranks, options)
  local _, _, code = os.execute(("ulimit -c 0; OMP_NUM_THREADS=1 timeout -s KILL %d %s --nproc %d %s %s >%s.out 2>%s.err"):format(
    DEADLINE, quote(programs.tocha), ranks, options or "", quote(script), script, script))
  return code
end

-- Lets one rank die, and checks what the others say. Returns the seconds after which the last survivor knew.
local function check_death(point)
  local folder, before = new_folder(), shared_memory()
  local script = folder .. "/script.lua"
  programs.write(script, (program:gsub("%u%u%u+", {FOLDER = folder, VICTIM = point.victim, MOMENT = point.moment, WAY = point.way, COUNT = point.count,
    DELAY = ("%f"):format(point.delay)})))
  local code = launch(script, RANKS)
  local all = ("%s %s %s, %d elements, %.3f s: %s%s"):format(point.victim, point.moment, point.way, point.count, point.delay,
    read(script .. ".out") or "", read(script .. ".err") or "")
  assert.is_true(code ~= 0 and code < 124, all)
  local died, latest = assert(tonumber(read(folder .. "/died")), all), 0
  for rank = 0, RANKS - 1 do
    if rank ~= point.victim then
      local text = assert(read(folder .. "/survivor" .. rank), "no word of rank " .. rank .. ": " .. all)
      assert.is_truthy(text:find("[Rr]ank " .. point.victim .. " .*"), text .. "\n" .. all)
      assert.is_truthy(text:find(endings[point.way]), "expected " .. endings[point.way] .. "; " .. text .. "\n" .. all)
      assert.is_truthy(text:find("all_reduce.*script.lua:%d+"), text .. "\n" .. all)
      latest = math.max(latest, tonumber(text:match "%S+") - died)
    end
  end
  assert.is_true(latest < 1, latest .. " s: " .. all)
  assert.equal(0, count_of(script), all)
  assert.equal(before, shared_memory(), all)
  local torch = require "torch"
  assert(torch.distributed.TCPStore("127.0.0.1", tonumber(read(folder .. "/port")), {is_master = true, wait_for_workers = false}), all)
  os.execute("rm -r " .. quote(folder))
  return latest
end

-- A training that saves a checkpoint after each epoch. Rank DYING of the first round dies at a step. Two ranks: a sum of
-- more depends on the place in a bucket, and the buckets are made anew after the first step, also after a restart (as PyTorch's are).
local training = [[
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
local rank, restarts = tonumber(os.getenv "RANK"), tonumber(os.getenv "TORCHELASTIC_RESTART_COUNT")
local checkpoint = "FOLDER/checkpoint.pt"
dist.init_process_group("gloo", {timeout = 30})
torch.manual_seed(1)
local model = nn.Sequential(nn.Linear(20, 30), nn.Tanh(), nn.Linear(30, 1))
local data = torch.randn(8 * 8, 20)
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
    local at = ((step - 1) * 2 + rank) * 8
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

-- Trains; `dying` < 0: nobody dies. Returns the digits, and the number of restarts.
local function train(dying, step)
  local folder = new_folder()
  local script = folder .. "/script.lua"
  programs.write(script, (training:gsub("%u%u%u%u+", {FOLDER = folder, DYING = dying, STEP = step})))
  local code = launch(script, 2, "--max-restarts 2")
  assert.equal(0, code, read(script .. ".out") .. read(script .. ".err"))
  local digits, restarts = read(folder .. "/digits"):match "^(.*)restarts (%d+)\n$"
  os.execute("rm -r " .. quote(folder))
  return digits, tonumber(restarts)
end

describe("a death", function()
  if random_points > 0 then
    it("at random points", function()
      math.randomseed(math.tointeger(tonumber(os.getenv "DEATH_SEED" or 1)))
      local slowest, sum = 0, 0
      for n = 1, random_points do
        local seconds = check_death {victim = math.random(0, RANKS - 1), moment = moments[math.random(#moments)], way = ways[math.random(#ways)],
          count = 2 ^ math.random(0, 23) // 1 | 0, delay = math.random() * 0.1}
        slowest, sum = math.max(slowest, seconds), sum + seconds
        io.stderr:write(("%d points: %.3f s on average, %.3f s at most\n"):format(n, sum / n, slowest))
      end
    end)
    return
  end

  for i, way in ipairs(ways) do
    for j, moment in ipairs(moments) do
      it(("%s an operation, by %s, is named by the others"):format(moment, way), function()
        check_death {victim = (i + j) % RANKS, moment = moment, way = way, count = moment == "within" and 4000000 or 1000, delay = 0.05}
      end)
    end
  end

  it("in a training that is started again changes no digit", function()
    local expected, restarts = train(-1, 0)
    assert.equal(0, restarts)
    for step, dying in pairs {[2] = 0, [7] = 1, [16] = 1} do
      local digits, again = train(dying, step)
      assert.equal(1, again)
      assert.is_true(expected == digits, ("rank %d dies at step %d"):format(dying, step))
    end
  end)
end)
