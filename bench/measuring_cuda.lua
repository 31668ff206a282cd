-- measuring_cuda.lua: times of cases on the GPU, for the files named *_cuda.lua; measuring_cuda.py is the same.
-- Prints a line for each case: "name<TAB>nanoseconds<TAB>ns<TAB>bytes moved, or nothing<TAB>nanoseconds of the host", or
-- "name<TAB>missing<TAB>why". The time is between two events on the GPU; the host's is the processor's time for launches.
-- After a permanent error the program ends with exit code 70; AFTER=name in the environment resumes after that case.
-- SMALL=1 in the environment: small tensors, one batch; shows that all cases run, without a measurement.
-- ROUNDS=n in the environment: calls the case whose name is the pattern n times, for spec/cuda/null/families.lua, which counts what
-- that launches; ROUNDS=0 prints the names.
local torch = require "torch"
local measuring = {small = os.getenv "SMALL" == "1", device = torch.device "cuda"}

local BATCHES, BATCH_MS = measuring.small and 1 or 7, measuring.small and 0 or 20
local WARM_MS = measuring.small and 0 or 500
local cases = {}

--- Returns the large size, or the small one with SMALL=1.
function measuring.sized(large, small) return measuring.small and small or large end

--- Adds a case. prepare() returns the function to call repeatedly; bytes: the number of bytes that one call reads and writes.
function measuring.case(name, bytes, prepare) cases[#cases + 1] = {name = name, prepare = prepare, bytes = bytes} end

function measuring.rand(...) return torch.rand{size = {...}, device = measuring.device} end

local start = torch.cuda.is_available() and torch.cuda.Event{enable_timing = true}
local stop = start and torch.cuda.Event{enable_timing = true}

-- Returns the milliseconds of n calls on the GPU, and on the host. The GPU's include waiting if the host is slower.
local function milliseconds(call, n)
  start:record()
  local before = os.clock()
  for _ = 1, n do call() end
  local host = (os.clock() - before) * 1e3
  stop:record()
  stop:synchronize()
  return start:elapsed_time(stop), host
end

local function median(values)
  table.sort(values)
  return values[(#values + 1) // 2]
end

-- Returns the nanoseconds of a call on the GPU, and on the host.
local function nanoseconds(call)
  local count = 1
  call()
  while true do
    local elapsed = milliseconds(call, count)
    if elapsed >= BATCH_MS then break end
    count = elapsed < BATCH_MS / 100 and count * 10 or count * BATCH_MS // elapsed + 1
  end
  count = math.tointeger(count)
  local batches = count == 1 and (BATCHES + 1) // 2 or BATCHES   -- slow ones: three batches are enough
  local times, host_times = {}, {}
  for batch = 1, batches do
    local gpu, host = milliseconds(call, count)
    times[batch], host_times[batch] = gpu / count * 1e6, host / count * 1e6
  end
  return median(times), median(host_times)
end

-- Keeps an idle GPU busy until its clocks have risen.
local function warm()
  local a = measuring.rand(measuring.sized(2048, 8), measuring.sized(2048, 8))
  local begun = os.time()
  local elapsed = 0
  while elapsed < WARM_MS and os.time() - begun < 5 do elapsed = elapsed + milliseconds(function() return a:matmul(a) end, 20) end
end

local function error_that_stays()
  if pcall(torch.cuda.synchronize) then return false end
  return not pcall(torch.cuda.synchronize)
end

-- Sets what cases change: one that is not about TensorFloat-32 computes in float32, and with cuDNN.
local function reset_switches()
  torch.backends.cudnn.enabled = true
  torch.backends.cuda.matmul.allow_tf32 = false
  torch.backends.cudnn.allow_tf32 = false
end

local function run_case(c)
  torch.manual_seed(1)
  reset_switches()
  local ok, value, host = pcall(function() return nanoseconds(c.prepare()) end)
  torch.set_default_device "cpu"
  local stays = error_that_stays()
  if ok and not stays then
    io.write(("%s\t%.1f\tns\t%s\t%.1f\n"):format(c.name, value, c.bytes or "", host))
  else
    io.write(("%s\tmissing\t%s\n"):format(c.name, tostring(value):match "[^\n]*"))
  end
  io.flush()
  if stays then os.exit(70) end
  collectgarbage()
  torch.cuda.empty_cache()
end

local function call_only(name, rounds)
  for _, c in ipairs(cases) do
    if rounds == 0 then
      print(c.name)
    elseif c.name == name then
      reset_switches()
      local call = c.prepare()
      for _ = 1, rounds do call() end
    end
  end
end

--- Runs the cases whose names contain the pattern.
function measuring.run(pattern)
  local rounds = tonumber(os.getenv "ROUNDS")
  if rounds then return call_only(pattern, rounds) end
  if not start then
    io.stderr:write("bench: no GPU: ", torch.cuda.reason(), "\n")
    return
  end
  local behind, found = os.getenv "AFTER" or "", false
  warm()
  for _, c in ipairs(cases) do
    if c.name:find(pattern, 1, true) and (behind == "" or found) then run_case(c) end
    found = found or c.name == behind
  end
end

return measuring
