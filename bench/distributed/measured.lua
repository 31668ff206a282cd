-- measured.lua: a rank that measures, for model.lua: "BYTES SECONDS" lines of all_reduce, then "step SECONDS" of DistributedDataParallel. Each is the best of
-- several, on the rank that was slowest: a busy machine disturbs the others. With the argument `alone`, prints the step as fake records it.
local torch = require "torch"
local nn, dist = torch.nn, torch.distributed

local SIZES, ROUNDS = {1024, 65536, 1 << 20, 4 << 20, 16 << 20}, 12
local LAYERS, WIDTH, ROWS, BUCKET_MIB = 6, 1024, 32, 8

torch.set_num_threads(1)
local is_alone = arg[1] == "alone"
if is_alone then dist.init_process_group{"fake", rank = 0, world_size = 2} else dist.init_process_group "gloo" end

-- Returns the fewest seconds that f() takes.
local function best(f)
  local seconds = math.huge
  for _ = 1, ROUNDS do
    dist.barrier()
    local started = torch._clock()
    f()
    seconds = math.min(seconds, torch._clock() - started)
  end
  return seconds
end

local function show(name, seconds)
  local slowest = torch.tensor({seconds}, {dtype = torch.float64})
  dist.all_reduce(slowest, dist.ReduceOp.MAX)
  if dist.get_rank() == 0 then print(("%s %.9f"):format(name, slowest:item())) end
end

local net = nn.Sequential()
for _ = 1, LAYERS do net:append(nn.Linear(WIDTH, WIDTH)) end
local x = torch.randn(ROWS, WIDTH)
local function run(model) return model(x):square():mean() end

if is_alone then
  local step = dofile "bench/distributed/steps.lua".record(net, run, {clock = torch._clock, bucket_cap_mb = BUCKET_MIB, steps = ROUNDS})
  print(("step %.9f"):format(step.seconds))
  for _, bucket in ipairs(step.buckets) do print(("%d %.9f"):format(bucket.bytes, bucket.ready)) end
  return
end

for _, bytes in ipairs(SIZES) do
  local tensor = torch.zeros(bytes // 4)
  show(("%d"):format(bytes), best(function() dist.all_reduce(tensor) end))
end
local ddp = nn.parallel.DistributedDataParallel(net, {bucket_cap_mb = BUCKET_MIB})
show("step", best(function() run(ddp):backward() end))
dist.destroy_process_group()
