-- model.lua: predicts how training scales to 10,000 ranks, which nobody here has.
--
--   build/tocha bench/distributed/model.lua [fit] [tables] [check]        all of them without a word
--
--   fit      measures all_reduce by two ranks on this machine, and fits latency and bandwidth
--   tables   records steps of ResNet-50 and of a GPT (steps.lua), and replays them by the formulas of costs.lua
--   check    compares predictions with 2 and 4 ranks behind a line of 1 Gbit/s (shaped; needs root): at most 30% apart from 1 MiB up, or exit
--            code 1
--
-- RANKS="2 8 64": the worlds of the tables.
local torch = require "torch"
local costs = dofile "bench/distributed/costs.lua"
local program = os.getenv "TOCHA" or "build/tocha"

local RATE, BYTES_A_SECOND = "1gbit", 1e9 / 8 * 1448 / 1514   -- of TCP in frames of Ethernet
local TOLERANCE, LEAST_BYTES = 0.3, 1 << 20   -- smaller messages measure how soon a busy machine wakes a process
local WORLDS = os.getenv "RANKS" or "2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 10000"

-- --- measurements -----------------------------------------------------------------------------------------------

-- Runs a command. Returns its all_reduces as costs.fit takes them, its step in seconds and the step's buckets; nil and its exit code if it failed.
local function measure(command, ranks)
  local pipe <close> = assert(io.popen("OMP_NUM_THREADS=1 timeout 300 " .. command))
  local measured, step = {}, {buckets = {}}
  for line in pipe:lines() do
    local name, seconds = line:match "([%w]+) (%d+%.%d+)$"
    if name == "step" then step.seconds = tonumber(seconds)
    elseif name and ranks then measured[#measured + 1] = {ranks = ranks, bytes = tonumber(name), seconds = tonumber(seconds)}
    elseif name then step.buckets[#step.buckets + 1] = {bytes = tonumber(name), ready = tonumber(seconds)} end
  end
  local _, _, code = pipe:close()
  if not step.seconds then return nil, code end
  return measured, step
end

local function fit()
  local measured = assert(measure(program .. " --nproc 2 bench/distributed/measured.lua", 2), "two ranks did not measure")
  local line, worst = costs.fit(measured)
  print(("2 ranks of this machine: latency %.0f us, bandwidth %.2f GB/s; at most %.0f%% from a measured time\n"):format(line.latency * 1e6,
    line.bandwidth / 1e9, worst * 100))
end

-- --- tables -----------------------------------------------------------------------------------------------------

-- A PCIe switch or shared memory between the ranks of a host; NVLink 4 as NCCL uses it; eight adapters of 400 Gbit/s.
local pcie = {latency = 10e-6, bandwidth = 12e9}
local networks = {
  {name = "10 Gbit/s, 50 us, a rank on each host", outer = {latency = 50e-6, bandwidth = 10e9 / 8}},
  {name = "10 Gbit/s, 50 us, 8 ranks on each host", outer = {latency = 50e-6, bandwidth = 10e9 / 8}, inner = pcie, per_host = 8},
  {name = "100 Gbit/s, 15 us, a rank on each host", outer = {latency = 15e-6, bandwidth = 100e9 / 8}},
  {name = "100 Gbit/s, 15 us, 8 ranks on each host", outer = {latency = 15e-6, bandwidth = 100e9 / 8}, inner = pcie, per_host = 8},
  {name = "NVLink (3 us, 360 GB/s) with InfiniBand (5 us, 8 x 400 Gbit/s), 8 ranks on each host",
    outer = {latency = 5e-6, bandwidth = 8 * 400e9 / 8}, inner = {latency = 3e-6, bandwidth = 360e9}, per_host = 8},
}

local function show_step(name, step)
  local parts, bytes = {}, 0
  for i, bucket in ipairs(step.buckets) do
    bytes = bytes + bucket.bytes
    parts[i] = ("%.1f at %.0f%%"):format(bucket.bytes / 1e6, bucket.ready / step.seconds * 100)
  end
  print(("## %s, a step of %.0f ms\n"):format(name, step.seconds * 1e3))
  print(("%.1f MB in %d buckets (MB, and when in the step they are full): %s\n"):format(bytes / 1e6, #step.buckets, table.concat(parts, ", ")))
end

local function show_table(step, network)
  print(("### %s\n\n| ranks | ring | Rabenseifner | tree | by host |\n|---|---|---|---|---|"):format(network.name))
  for n in WORLDS:gmatch "%d+" do
    local cells = {}
    for i, algorithm in ipairs(costs.algorithms) do
      cells[i] = ("%.0f%%"):format(costs.efficiency(step, network, algorithm, math.tointeger(tonumber(n))) * 100)
    end
    print(("| %s | %s |"):format(n, table.concat(cells, " | ")))
  end
  print()
end

local function tables()
  torch.set_num_threads(1)
  torch.distributed.init_process_group{"fake", rank = 0, world_size = 2}
  for _, network in ipairs(dofile "bench/distributed/steps.lua".networks) do
    local step = costs.scaled(network.record(), network.seconds)
    show_step(network.name, step)
    for _, line in ipairs(networks) do show_table(step, line) end
  end
  torch.distributed.destroy_process_group()
end

-- --- check ------------------------------------------------------------------------------------------------------

-- Prints a row. Returns true if a prediction is near enough.
local function compare(what, ranks, predicted, seconds)
  local off = predicted / seconds - 1
  print(("| %s | %d | %.1f | %.1f | %+.0f%% |"):format(what, ranks, predicted * 1e3, seconds * 1e3, off * 100))
  return math.abs(off) <= TOLERANCE
end

-- Latency is fitted to the all_reduces of two ranks; all else is predicted from it, the line's rate, and the step of a single process.
local function check()
  local _, alone = assert(measure(program .. " bench/distributed/measured.lua alone"))
  local command = ("bench/distributed/shaped %%d %s %s bench/distributed/measured.lua"):format(RATE, program)
  local two, step = measure(command:format(2), 2)
  if not two then
    assert(step == 77, "two ranks did not measure")
    print "check: skipped: network namespaces with lines of a rate are not there (root, ip, tc with tbf)"
    return true
  end
  local four, step_of_four = measure(command:format(4), 4)
  assert(four, "four ranks did not measure")
  local line = costs.fit(two)
  print(("## A line of 1 Gbit/s\n\nFitted to 2 ranks: latency %.0f us, bandwidth %.1f MB/s, of %.1f MB/s that the line has for TCP.\n"):format(
    line.latency * 1e6, line.bandwidth / 1e6, BYTES_A_SECOND / 1e6))
  local network, sound = {outer = {latency = line.latency, bandwidth = BYTES_A_SECOND}}, true
  local function ring(ranks) return function(bytes) return costs.ring(network, ranks, bytes) end end
  print "| what | ranks | predicted, ms | measured, ms | apart |\n|---|---|---|---|---|"
  for _, m in ipairs(four) do
    sound = (compare(("all_reduce of %d bytes"):format(m.bytes), 4, ring(4)(m.bytes), m.seconds) or m.bytes < LEAST_BYTES) and sound
  end
  sound = compare("step", 2, costs.replay(alone, ring(2)), step.seconds) and sound
  return compare("step", 4, costs.replay(alone, ring(4)), step_of_four.seconds) and sound
end

local parts, wanted = {fit = fit, tables = tables, check = check}, #arg > 0 and arg or {"fit", "tables", "check"}
for _, name in ipairs(wanted) do
  if not parts[name] then error(("model.lua: %s is none of fit, tables, check"):format(name), 0) end
end
local sound = true
for _, name in ipairs(wanted) do sound = parts[name]() ~= false and sound end
os.exit(sound)
