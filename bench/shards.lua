-- shards.lua: runs the specs on a device in many processes, each of which continues after a fault (spec/support/resuming.lua).
--   shards.lua list                      prints the jobs, the longest first: "NAME FILE [PART]"
--   shards.lua run NAME FILE [PART]      runs one job: $LOGS/NAME.tap, a line of $LOGS/NAME.counts ("passed failed"), and
--                                        for each fault a line of $LOGS/guilty.tsv (file, test, error); of fuzzing, the
--                                        last program that was begun, $LOGS/NAME.program
--   shards.lua guilty                    prints the tests that met a fault, "NAME<TAB>FILE<TAB>TEST<TAB>ERROR"; NAME: the operator,
--                                        or the test in files that are not about operators
--   shards.lua memcheck NAME FILE TEST   runs one test under compute-sanitizer
-- LOGS, LUA: as bench/on_card sets them. END: the time (date +%s) when all jobs must have ended. PARTS=16: the parts of
-- ops_spec.lua. PROCESS_LIMIT=100: seconds until a process ends and another goes on; TEST_LIMIT=60: seconds a test may take.
-- SPECS: only these files. SHOW=6: failures to print for each job.
package.path = "spec/support/?.lua;" .. package.path
local tap = require "tap"
local measuring = dofile "bench/measuring.lua"
local quoted = measuring.quoted
local logs, lua = os.getenv "LOGS" or "build/on_card", os.getenv "LUA" or "lua5.4"
local finish = tonumber(os.getenv "END" or "") or math.huge
local process_limit = tonumber(os.getenv "PROCESS_LIMIT" or "") or 100
local test_limit = tonumber(os.getenv "TEST_LIMIT" or "") or 60
local parts, show = tonumber(os.getenv "PARTS" or "") or 16, tonumber(os.getenv "SHOW" or "") or 6
local OPERATORS = "spec/ops/ops_spec.lua"
local MOST_PROCESSES = 60

-- Returns the operator that a test is about, or nil in files that are not about operators.
local function operator_of(file, test) return file == OPERATORS and tap.operator(test) or nil end

local function read(path, from)
  local file = io.open(path, "rb")
  if not file then return "" end
  file:seek("set", from or 0)
  local text = file:read "a"
  file:close()
  return text
end

local function append(path, ...)
  local file = assert(io.open(path, "a"))
  file:write(...)
  file:close()
end

local function seconds_left() return math.min(process_limit, finish - os.time()) end

-- ---- the jobs ----

-- Returns true if a spec names its devices itself.
local function names_its_device(file)
  return file:find("^spec/devices/") or file:find("^spec/examples/") or file == "spec/amp/autocast_spec.lua"
end

local function spec_files()
  local tasks, files = dofile ".busted", {}
  for _, task in ipairs{"of_any_device", "devices"} do
    for _, root in ipairs(tasks[task].ROOT) do
      for file in io.popen(("find %s -name '*_spec.lua' | sort"):format(quoted(root))):lines() do files[#files + 1] = file end
    end
  end
  return files
end

local function list_jobs()
  local files = {}
  for file in (os.getenv "SPECS" or ""):gmatch "%S+" do files[#files + 1] = file end
  if #files == 0 then files = spec_files() end
  for _, file in ipairs(files) do
    if file == OPERATORS then
      for part = 1, parts do print(("ops_%02d %s %d/%d"):format(part, file, part, parts)) end
    end
  end
  for _, file in ipairs(files) do
    if file ~= OPERATORS then print(file:gsub("^spec/", ""):gsub("%.lua$", ""):gsub("/", "_"), file) end
  end
end

-- ---- one process ----

-- Runs busted on a file and returns its exit code. variables: of the environment, {name = value}; before: words before the command.
local function run_busted(file, log, limit, variables, before)
  local words = {"env", names_its_device(file) and "-u TOCHA_SPEC_DEVICE" or "TOCHA_SPEC_DEVICE=cuda:0", "OMP_NUM_THREADS=1"}
  for name, value in pairs(variables) do words[#words + 1] = name .. "=" .. quoted(value) end
  local command = ("%s timeout -k 5 %d %s %s -e 'require \"busted.runner\"({standalone = false})' /dev/null --output=TAP --verbose %s >>%s 2>&1")
  local _, how, code = os.execute(command:format(table.concat(words, " "), math.max(1, limit), before or "", quoted(lua), file, quoted(log)))
  return how == "signal" and code + 128 or code
end

-- Returns true if `timeout` ended a process, by SIGTERM, or by SIGKILL if the process ignored SIGTERM.
local function was_stopped(code) return code == 124 or code == 137 end

-- ---- one job ----

local function report(name, text, processes, seconds, problem)
  local good, bad, pending = tap.count(text)
  if good + bad + pending == 0 then problem = problem or "no test ran" end
  if problem then bad = bad + 1 end
  append(logs .. "/" .. name .. ".counts", good, " ", bad, "\n")
  print(("%-9s %-34s %5d passed, %d failed, %d pending, %d processes, %d s%s"):format(bad == 0 and "ok" or "FAILED", name, good, bad, pending,
    processes, seconds, problem and ": " .. problem or ""))
  local shown = 0
  for test, rest in text:gmatch "not ok %d+ %- ([^\n]*)\n([^\n]*\n?[^\n]*)" do
    if shown == show then break end
    shown = shown + 1
    print(("          %s\n            %s"):format(test:sub(1, 140), rest:gsub("^#[^\n]*\n", ""):sub(1, 140)))
  end
end

-- Returns the seconds since the last write to the file.
local function quiet_for(path)
  local pipe <close> = assert(io.popen("stat -c %Y " .. quoted(path)))
  return os.time() - (tonumber(pipe:read "l") or 0)
end

-- Notes the test that ended a process, also in the log if the log has no failure of it.
local function note_guilty(file, log, test, problem, has_failed)
  append(logs .. "/guilty.tsv", file, "\t", test, "\t", problem, "\n")
  if not has_failed then append(log, "not ok 0 - ", test, "\n# ", file, "\n# Failure message: ", problem, "\n") end
end

-- Returns the reason why the job cannot continue, or nil if it is complete, and the number of processes.
local function run_shard(name, file, part)
  local log, without = logs .. "/" .. name .. ".tap", {}
  io.open(log, "w"):close()
  for process = 1, MOST_PROCESSES do
    if seconds_left() < 1 then return "no time is left", process - 1 end
    local from = #read(log)
    local code = run_busted(file, log, seconds_left(), {TOCHA_SPEC_LOG = log, TOCHA_SPEC_WITHOUT = table.concat(without, " "), OPS_PART = part,
      FUZZ_LOG = logs .. "/" .. name .. ".program"})
    local text = read(log, from)
    if tap.is_complete(text) then return nil, process end
    local test, problem, has_failed = tap.last_test(text)
    local stopped = was_stopped(code)
    if not (test or stopped) then return "it ended without a summary, status " .. tostring(code), process end
    if stopped and finish - os.time() < 1 then return "cut off by the clock" .. (test and " in: " .. test or ""), process end
    if test and (not stopped or quiet_for(log) >= test_limit) then   -- else it was busy, and another process continues
      problem = problem or stopped and "it took too long" or ("the process ended with status %s"):format(code)
      note_guilty(file, log, test, problem, has_failed)
      without[#without + 1] = operator_of(file, test)
    end
  end
  return ("it is not through after %d processes"):format(MOST_PROCESSES), MOST_PROCESSES
end

local function run_job(name, file, part)
  local start = os.time()
  local problem, processes = run_shard(name, file, part)
  report(name, read(logs .. "/" .. name .. ".tap"), processes, os.time() - start, problem)
end

-- ---- the guilty ----

local function list_guilty()
  local seen, names = {}, {}
  for line in read(logs .. "/guilty.tsv"):gmatch "[^\n]+" do
    local file, test, problem = line:match "^(.-)\t(.-)\t(.*)$"
    local name = operator_of(file, test) or test
    if not seen[name] then
      seen[name] = ("%s\t%s\t%s\t%s"):format(name, file, test, problem)
      names[#names + 1] = name
    end
  end
  table.sort(names)
  for _, name in ipairs(names) do print(seen[name]) end
end

local function check_memory(name, file, test)
  local log = ("%s/memcheck_%s.log"):format(logs, name:gsub("[^%w_.]", "_"):sub(1, 60))
  local code = run_busted(file, log, seconds_left(), {TOCHA_SPEC_LOG = "/dev/null", TOCHA_SPEC_ONLY = test,
    OPS = operator_of(file, test) or "", TOCHA_CUDA_CACHE = "off", CUDA_LAUNCH_BLOCKING = "1"},
    "compute-sanitizer --tool memcheck --error-exitcode 9 --print-limit 20")
  print(("memcheck  %s, status %s, %s:"):format(name, code, log))
  local shown = 0
  for line in read(log):gmatch "=====[^\n]*" do
    if shown < 12 and line:find "%w" then print("          " .. line:sub(1, 150)) end
    shown = shown + 1
  end
end

local commands = {list = list_jobs, run = run_job, guilty = list_guilty, memcheck = check_memory}
local command = commands[arg[1]] or error "shards.lua list, run, guilty or memcheck"
command(table.unpack(arg, 2))
