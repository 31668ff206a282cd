-- nets.lua: the Tocha side of the table of networks; nets.py is the PyTorch side with the same networks.
--   nets.lua                       prints the names
--   nets.lua NAME train|infer      prints "nanoseconds<TAB>loss<TAB>bytes grown<TAB>bytes of the process"
-- A step of training is zero_grad, forward, backward and the optimizer's step; inference is a forward of batch 1.
local torch = require "torch"
local measuring = dofile "bench/measuring.lua"
local nets = dofile "bench/networks.lua"
local status_bytes = measuring.status_bytes
local now = os.getenv "CLOCK" == "processor" and measuring.processor_time or measuring.now -- more precise on a busy machine

local BATCHES, BATCH_NS, FIRST_STEPS = 5, 1e8, 3

-- ---- measuring ----

-- Returns the nanoseconds of one run, from the shortest batch, because other processes can only make a batch longer.
local function nanoseconds(run)
  local count, shortest = 1, math.huge
  local function timed()
    local start = now()
    for _ = 1, count do run() end
    return now() - start
  end
  local elapsed = timed()
  while elapsed < BATCH_NS do
    count = elapsed < BATCH_NS / 100 and count * 10 or math.ceil(count * BATCH_NS / elapsed)
    elapsed = timed()
  end
  for _ = 1, BATCHES do shortest = math.min(shortest, timed() / count) end
  return shortest
end

local function measure(entry, what)
  local before = status_bytes "VmRSS"
  torch.manual_seed(1)
  local model, optimizer, loss, infer = entry.make()
  local function step()
    optimizer:zero_grad()
    local value = loss()
    value:backward()
    optimizer:step()
    return value
  end
  local run, check = step, nil
  if what == "train" then
    for _ = 1, FIRST_STEPS do check = step() end
  else
    model:eval()
    torch.set_grad_enabled(false)
    run = infer
    check = infer():abs():mean()
  end
  local shortest = nanoseconds(run)
  local peak = status_bytes "VmHWM"
  print(("%.0f\t%.9g\t%d\t%d"):format(shortest, check:item(), peak - before, peak))
end

for _, entry in ipairs(nets) do
  if not arg[1] then print(entry.name) end
  if entry.name == arg[1] then measure(entry, arg[2]) end
end
