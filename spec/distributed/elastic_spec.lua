-- elastic_spec.lua: a training goes on with fewer machines when one is gone for good, and with more when one comes (--nnodes MIN:MAX). The
-- machines are launchers on this one.
local lfs = require "lfs"
local programs = require "programs"
local quote, read = programs.quote, programs.read

local folder

-- A training that saves each step, and says with how many ranks it made it.
local training = [[
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
dist.init_process_group("gloo", {timeout = 30})
local rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(1)
local model = nn.Linear(4, 1)
local ddp = nn.parallel.DistributedDataParallel(model)
local optimizer = torch.optim.SGD(model:parameters(), {lr = 0.01})
local path, step = "FOLDER/checkpoint.pt", 0
if io.open(path) then
  local saved = torch.load(path)
  model:load_state_dict(saved.model)
  step = saved.step
end
dist.barrier()
local function note(name, text)
  local file = assert(io.open("FOLDER/" .. name, "a"))
  file:write(text, "\n")
  file:close()
end
if rank == 0 then note("rounds", ("%d from %d"):format(size, step)) end
while step < 1000000 do
  step = step + 1
  local loss = ddp(torch.ones(2, 4)):pow(2):mean()
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
  if rank == 0 then
    torch.save({model = model:state_dict(), step = step}, path .. ".new")
    os.rename(path .. ".new", path)
    if step == 3 or step % 10 == 0 then note("steps", ("%d %d"):format(size, step)) end
  end
  local stop = torch.tensor {io.open "FOLDER/stop" and 1 or 0}
  dist.all_reduce(stop, dist.ReduceOp.MAX)   -- all stop after the same step
  if stop:item() == 1 then break end
end
note("ended", ("%d %d"):format(size, step))
dist.destroy_process_group()
]]

-- Waits until a file of the folder has a text; fails after some seconds.
local function wait_for(name, pattern)
  for _ = 1, 300 do
    local text = read(folder .. "/" .. name)
    if text and text:find(pattern) then return text end
    os.execute "sleep 0.1"
  end
  error(("no %s in %s:\n%s\n%s\n%s"):format(pattern, name, read(folder .. "/" .. name) or "", read(folder .. "/1") or "", read(folder .. "/2") or ""))
end

local port = 30000 + os.time() % 2000

-- Starts a launcher, whose output goes to a file of that number. Returns its process.
local function start(number, script)
  local command = ("timeout -s KILL 60 %s/tocharun --nnodes 1:2 --rdzv-backend c10d --rdzv-endpoint 127.0.0.1:%d "
    .. "--rdzv-conf last_call_timeout=1,keep_alive_timeout=1.5 %s"):format(quote(programs.folder), port, quote(script))
  local pipe = io.popen(("OMP_NUM_THREADS=1 %s >%s/%d 2>&1 & echo $!"):format(command, folder, number))
  local process = pipe:read "n"
  pipe:close()
  return process
end

-- Kills the launcher that `timeout` has started, by its number.
local function kill(process) os.execute(("kill -9 $(cat /proc/%d/task/%d/children)"):format(process, process)) end

describe("a training on a changing number of machines", function()
  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(lfs.mkdir(folder))
  end)
  teardown(function() os.execute("rm -rf " .. folder) end)

  it("goes on from its checkpoint with one fewer, and with one more", function()
    local script = folder .. "/script.lua"
    programs.write(script, (training:gsub("FOLDER", folder)))
    start(1, script)
    os.execute "sleep 0.3"   -- the first one serves the store
    local second = start(2, script)
    wait_for("steps", "2 3\n")
    kill(second)
    wait_for("rounds", "\n1 from %d+\n")
    wait_for("steps", "\n1 %d+\n")
    start(3, script)
    wait_for("rounds", "\n1 from %d+\n2 from %d+\n")
    os.execute("sleep 0.3; touch " .. folder .. "/stop")
    local ended = wait_for("ended", "2 %d+\n2 %d+\n")
    local first, last = ended:match "^2 (%d+)\n2 (%d+)\n$"
    assert.are.equal(first, last)
    local rounds = {}
    for size, step in read(folder .. "/rounds"):gmatch "(%d) from (%d+)" do rounds[#rounds + 1] = {tonumber(size), tonumber(step)} end
    assert.are.same({2, 0}, rounds[1])
    assert.are.equal(3, #rounds)
    assert.is_true(0 < rounds[2][2] and rounds[2][2] < rounds[3][2])
    local said = read(folder .. "/1")
    assert.truthy(said:find "A new round: [^\n]* is gone%.\n", said)
    assert.truthy(said:find "A new round: a machine came%.\n", said)
  end)
end)
