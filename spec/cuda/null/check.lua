-- check.lua FOLDER [NAME]: measures the cases of cases.lua with the programs of FOLDER (tocha and a plug-in on runtime.cpp) under valgrind,
-- against limits.lua. Two runs of different length: what differs is what the rounds cost.
local here = arg[0]:match "^(.*)/"
local limits = dofile(here .. "/limits.lua")
local folder, only = arg[1], arg[2]

-- Returns the calls in a file of counts, which is removed: {function of the driver -> calls}.
local function calls_of(counts)
  local calls = {}
  for line in io.lines(counts) do
    local called, n = line:match "^(%S+) (%d+)$"
    if called then calls[called] = math.tointeger(n) end   -- the other lines are of kernels (families.lua)
  end
  os.remove(counts)
  return calls
end

-- Instructions, and the calls, of so many rounds. Of two ranks those of the first one, for which the other one hardly lets it wait.
local function measure(name, rounds, ranks)
  local counts, meeting = os.tmpname(), os.tmpname()
  os.remove(meeting)
  local environment = ("OMP_NUM_THREADS=1 TOCHA_CUDA=auto LD_LIBRARY_PATH=%s NULL_CUDA_MEETING=%s "):format(folder, meeting)
  local program = table.concat({folder .. "/tocha", here .. "/cases.lua", name, rounds}, " ")
  local other = ranks and environment .. "RANK=1 timeout 300 " .. program .. " >/dev/null 2>&1 & " or ""
  local pipe = assert(io.popen(other .. environment .. "RANK=0 NULL_CUDA_COUNTS=" .. counts
    .. " timeout 300 valgrind --tool=callgrind --callgrind-out-file=/dev/null " .. program .. " 2>&1"))
  local printed = pipe:read "a"
  local ended = pipe:close()
  os.remove(meeting)
  local instructions = printed:match "Collected : (%d+)"
  if not ended or not instructions then error(name .. " did not run:\n" .. printed) end
  return math.tointeger(instructions), calls_of(counts)
end

local function cost(limit)
  local name, rounds = limit[1], limit.rounds or 400
  local instructions, calls = measure(name, rounds, limit.ranks)
  local more, more_calls = measure(name, 3 * rounds, limit.ranks)
  local got = {instructions = (more - instructions) // (2 * rounds), launches = 0, calls = 0}
  for called, n in pairs(more_calls) do
    local each = (n - (calls[called] or 0)) / (2 * rounds)
    local kind = (called == "launch" or called == "cudaGraphLaunch") and "launches" or "calls"
    got[kind] = got[kind] + each
  end
  return got
end

-- Returns the calls of a program on a machine with two GPUs.
local function calls_with_two(program)
  local counts = os.tmpname()
  local done = os.execute(("TOCHA_CUDA=auto LD_LIBRARY_PATH=%s NULL_CUDA_DEVICES=2 NULL_CUDA_COUNTS=%s %s/tocha -e '%s'")
    :format(folder, counts, folder, program))
  return done and calls_of(counts)
end

local NOW_AND_THEN = 0.1 -- a call more in ten rounds: memory that is asked for until enough is there

local passed, failed = 0, 0
for _, limit in ipairs(limits) do
  if not only or only == limit[1] then
    local got = cost(limit)
    local words = {}
    for _, what in ipairs {"instructions", "launches", "calls"} do
      local fine = got[what] <= limit[what] + NOW_AND_THEN
      passed, failed = passed + (fine and 1 or 0), failed + (fine and 0 or 1)
      words[#words + 1] = ("%g %s%s"):format(got[what], what, fine and "" or (", more than %g"):format(limit[what]))
    end
    print(limit[1] .. ": " .. table.concat(words, "; "))
  end
end
if not only or only == "two" then
  -- who uses the second GPU makes no context on the first one, which would take half a gigabyte of it
  local calls = calls_with_two [[x = torch.ones(3, {device = "cuda:1"}) x:sum():item() torch.ones(3):pin_memory("cuda:1")]]
  local fine = calls and calls["cudaSetDevice(0)"] == 0 and calls.cudaSetDevice > 0
  passed, failed = passed + (fine and 1 or 0), failed + (fine and 0 or 1)
  print("two GPUs: " .. (fine and "the first one is left alone" or "the first one is used, too"))
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
