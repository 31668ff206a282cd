-- table.lua FOLDER [PATTERN]: measures torch.distributed beside what it stands on, in one run: teams of ranks wait side by side and are
-- measured in turns, the best turn of each counts. Started by `bench/run distributed`.
local torch = require "torch"
local now = require "bench_clock"
local team = dofile "bench/distributed/team.lua"
local measuring = dofile "bench/measuring.lua"
local quoted = measuring.quoted
local folder, pattern = arg[1], arg[2] or ""
local tocha, python = os.getenv "TOCHA", os.getenv "PYTHON"
if python == "" then python = nil end
local OURS = quoted(tocha) .. " bench/distributed/rank.lua"
local THEIRS = python and quoted(python) .. " bench/distributed/rank.py"

-- ---- turns ----

local function readable(seconds)
  if seconds >= 1 then return ("%.2f s"):format(seconds) end
  if seconds >= 1e-3 then return ("%.2f ms"):format(seconds * 1e3) end
  return seconds >= 1e-6 and ("%.1f us"):format(seconds * 1e6) or ("%.0f ns"):format(seconds * 1e9)
end

-- Gives the teams a command in turns. Returns the best answer of each (nil of one that failed).
local function best_of(rounds, teams, ...)
  local best = {}
  for _ = 1, rounds do
    for i, t in ipairs(teams) do
      local seconds = t:ask(...)
      if seconds then best[i] = math.min(best[i] or math.huge, seconds) end
    end
  end
  return table.unpack(best, 1, #teams)
end

-- Starts teams, from a list of options with names, runs body(teams), and shows the last words of those that have failed.
local function with_teams(list, body)
  local teams = {}
  for i, options in ipairs(list) do teams[i] = team.start(folder, options.name, options) end
  body(teams)
  for _, t in ipairs(teams) do
    local words = t:stop()
    if words then print(("  %s failed:\n%s"):format(t.name, words)) end
  end
end

local function section(title, run)
  if not title:find(pattern, 1, true) then return end
  print("\n" .. title .. "\n")
  run()
  io.flush()
end

local function size_text(bytes)
  if bytes >= 2 ^ 20 then return ("%d MiB"):format(bytes >> 20) end
  return bytes >= 1024 and ("%d KiB"):format(bytes >> 10) or ("%d B"):format(bytes)
end

-- ---- collectives ----

local NAMES <const> = {"all_reduce", "broadcast", "all_gather", "reduce_scatter"}
local MAKERS <const> = {"openmpi", "mpich"}
local SIZES <const> = {16, 4096, 65536, 1 << 20, 16 << 20, 64 << 20}

-- A turn takes some 50 ms, or two operations.
local function repeats_for(bytes, ranks) return math.max(2, 30000000 // ((bytes + 100000) * ranks)) end

-- Prints a line for each collective and size. allowed: seconds that ours may take beside 1.1 of theirs, or nil.
local function compare_collectives(teams, ranks, names, allowed)
  local product, count, largest = 1, 0, 0
  local row = "  %-15s %8s %12s %12s %6s  %s"
  local function write_row(...) print((row:format(...):gsub("%s+$", ""))) end
  write_row("", "bytes", names[1], names[2], "ratio", allowed and ("of 1.1 x %s + %s"):format(names[2], readable(allowed)) or "")
  local function line(name, bytes)
    local rounds = bytes >= 16 << 20 and 5 or 9
    local a, b = best_of(rounds, teams, "collective", name, bytes, repeats_for(bytes, ranks))
    if not a or not b then return end
    local ratio = allowed and a / (1.1 * b + allowed) or a / b
    write_row(name, name == "barrier" and "" or size_text(bytes), readable(a), readable(b), ("%.2f"):format(a / b),
      allowed and ("%.2f"):format(ratio) or "")
    io.flush()
    product, count, largest = product * ratio, count + 1, math.max(largest, ratio)
  end
  for _, name in ipairs(NAMES) do
    for _, bytes in ipairs(SIZES) do line(name, bytes) end
  end
  line("barrier", 0)
  if count > 0 then print(("  geometric mean %.2f, largest %.2f"):format(product ^ (1 / count), largest)) end
end

local function compare_gloo(ranks)
  with_teams({{name = "tocha" .. ranks, command = OURS, ranks = ranks}, {name = "pytorch" .. ranks, command = THEIRS, ranks = ranks, interface = "lo"}},
    function(teams) compare_collectives(teams, ranks, {"Tocha", "PyTorch"}) end)
end

-- Returns the launcher of an MPI, nil if that MPI is not here.
local function mpirun_of(maker)
  local file <close> = io.open(("%s/bare_%s"):format(folder, maker))
  return file and "mpirun." .. maker .. (maker == "openmpi" and " --allow-run-as-root --oversubscribe" or "")
end

local function compare_mpi(maker, mpirun)
  local command = ('%s "$COMMANDS" "$ANSWERS"'):format(quoted(("%s/bare_%s"):format(folder, maker)))
  with_teams({{name = maker, command = OURS, ranks = 2, mpirun = mpirun},
    {name = "bare_" .. maker, command = ("sh -c %s"):format(quoted(command)), ranks = 2, mpirun = mpirun}},
    function(teams) compare_collectives(teams, 2, {"Tocha", "bare"}, 10e-6) end)
end

-- ---- training ----

-- Prints a network's times: {one, ddp} of Tocha and, if it is measured, of PyTorch. `backend`: of the step of DDP.
local function show_step(net, backend, ours, theirs)
  local function write_row(what, i, words)
    local row = ("  %-28s %12s %12s   %s"):format(net .. what, readable(ours[i]), theirs[i] and readable(theirs[i]) or "", words)
    print((row:gsub("%s+$", "")))
  end
  if backend == "gloo" then write_row(", one process of 2 threads", 1, "") end
  local words = ("%.2f of one process's samples a second"):format(2 * ours[1] / ours[2])
  if theirs[2] then words = ("%s (PyTorch's %.2f); %.2f of PyTorch's time"):format(words, 2 * theirs[1] / theirs[2], ours[2] / theirs[2]) end
  write_row(", 2 ranks by " .. backend, 2, words)
end

local function compare_training()
  local list = {{name = "gloo", backend = "gloo", command = OURS, ranks = 2}}
  for _, maker in ipairs(MAKERS) do
    local mpirun = mpirun_of(maker)
    if mpirun then list[#list + 1] = {name = "mpi_" .. maker, backend = maker, command = OURS, ranks = 2, mpirun = mpirun} end
  end
  local backends = #list
  list[#list + 1] = {name = "one", command = OURS, threads = 2, alone = true}
  if THEIRS then
    list[#list + 1] = {name = "pytorch_ddp", command = THEIRS, ranks = 2, interface = "lo"}
    list[#list + 1] = {name = "pytorch_one", command = THEIRS, threads = 2, alone = true}
  end
  with_teams(list, function(teams)
    for _, net in ipairs {"mlp", "convnet"} do
      local best = {best_of(15, teams, "train", net, net == "mlp" and 10 or 2)}
      local one, their_ddp, their_one = table.unpack(best, backends + 1, backends + 3)
      for i = 1, backends do
        if one and best[i] then show_step(net, list[i].backend, {one, best[i]}, i == 1 and their_one and {their_one, their_ddp} or {}) end
      end
    end
    local own, all = tostring(teams[1]:ask "states"):match "(%d+)\t(%d+)"
    if own then print(("  ZeRO-1: %.3f of Adam's states on each of 2 ranks"):format(own / all)) end
  end)
end

-- ---- a link of 1 Gbit/s ----

local SPACE <const>, WIRE <const> = "tocha_bench", "tochabench"

-- Makes a network of this host and a namespace whose link has the rate. Returns false if the system has no means for it.
local function make_link()
  local script = ([[
set -e
ip netns add SPACE
ip link add WIRE0 type veth peer name WIRE1
ip link set WIRE1 netns SPACE
ip addr add 10.231.77.1/24 dev WIRE0
ip link set WIRE0 up
ip netns exec SPACE ip addr add 10.231.77.2/24 dev WIRE1
ip netns exec SPACE ip link set WIRE1 up
ip netns exec SPACE ip link set lo up
tc qdisc add dev WIRE0 root tbf rate 1gbit burst 128kb latency 50ms
ip netns exec SPACE tc qdisc add dev WIRE1 root tbf rate 1gbit burst 128kb latency 50ms]]):gsub("SPACE", SPACE):gsub("WIRE", WIRE)
  return os.execute(("{ %s; } >%s/link.log 2>&1"):format(script, quoted(folder)))
end

local function remove_link() os.execute(("ip netns del %s 2>/dev/null; ip link del %s0 2>/dev/null"):format(SPACE, WIRE)) end

-- bytes: of all gradients, and of the last bucket.
local LINKED <const> = {mlp = {2678824, 1607680 + 2048}, convnet = {4803368, 75264}}

local function compare_link()
  remove_link()
  if not make_link() then return print("  not measured: no veth, or no tc tbf, here, or not root") end
  local list = {{name = "linked", command = OURS, ranks = 2, host = "10.231.77.1", enter = {"", "ip netns exec " .. SPACE}}}
  with_teams(list, function(teams)
    for _, net in ipairs {"mlp", "convnet"} do
      local computing, step = math.huge, math.huge
      for _ = 1, 7 do
        computing = math.min(computing, best_of(1, teams, "plain", net, 3) or math.huge)
        step = math.min(step, best_of(1, teams, "train", net, 5) or math.huge)
      end
      if teams[1].failed then return end
      local sending, last = LINKED[net][1] * 8e-9, LINKED[net][2] * 8e-9
      print(("  %-8s a step %s; computing %s, sending %s, the last bucket %s: %.2f of the longer one plus the last bucket"):format(net,
        readable(step), readable(computing), readable(sending), readable(last), step / (math.max(computing, sending) + last)))
    end
  end)
  remove_link()
end

-- ---- start, check ----

local function best_time(rounds, command)
  local best = math.huge
  for _ = 1, rounds do
    local start = now()
    if not os.execute(command .. (" >%s/start.log 2>&1"):format(quoted(folder))) then return nil end
    best = math.min(best, (now() - start) / 1e9)
  end
  return best
end

local function compare_start()
  local ours = best_time(7, ("timeout 60 %s --nproc 4 bench/distributed/meet.lua"):format(quoted(tocha)))
  local theirs = python and best_time(1, ("timeout 60 %s -m torch.distributed.run --nproc-per-node 4 bench/distributed/meet.py"):format(quoted(python)))
  print(("  tocha --nproc 4: %s; torchrun: %s"):format(ours and readable(ours) or "failed", theirs and readable(theirs) or "-"))
end

local function show_check()
  local pipe = io.popen(quoted(folder .. "/bench_check"))
  local with, without = pipe:read("n", "n")
  pipe:close()
  if not with then return print "  failed" end
  print(("  the check takes %d ns: an operation of 2 ranks without its engine %d ns, without the check %d ns"):format(with - without, with, without))
end

-- ---- the table ----

local function load_of_machine()
  local file <close> = io.open "/proc/loadavg"
  return file and file:read "l" or "?"
end

torch.set_num_threads(1)
local start = now()
print("Best of several turns; ratios below 1: Tocha is faster. Load of the machine at the start: " .. load_of_machine())
if THEIRS then
  for _, ranks in ipairs {2, 4} do
    section(("gloo, %d ranks, beside PyTorch's gloo"):format(ranks), function() compare_gloo(ranks) end)
  end
else
  print "\nPYTHON=python3 with PyTorch shows PyTorch beside it."
end
for _, maker in ipairs(MAKERS) do
  local mpirun = mpirun_of(maker)
  if mpirun then
    section(("mpi, 2 ranks, beside bare %s"):format(maker), function() compare_mpi(maker, mpirun) end)
  else
    print(("\nmpi: %s is not measured, for mpicc.%s is not there"):format(maker, maker))
  end
end
section("training: 2 ranks of a thread, batches of 64", compare_training)
section("training through a link of 1 Gbit/s", compare_link)
section("4 ranks start, meet, and leave", compare_start)
section("check of what ranks are about to do", show_check)
print(("\n%.0f s; load at the end: %s"):format((now() - start) / 1e9, load_of_machine()))
