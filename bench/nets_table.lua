-- nets_table.lua [PATTERN]: runs each network of nets.lua and nets.py in turns, each time in a process of its own, and
-- prints one table. Started by `bench/run nets`, which sets the environment.
-- Time: the fastest batch of each process, and the median of the rounds. The ratio is the median of the rounds' ratios,
-- because both processes of a round have the same neighbours on a shared machine. Memory: the growth of the process after
-- loading the library, and in brackets the whole process. "losses": the difference between the losses of the third step.
local measuring = dofile "bench/measuring.lua"
local quoted, median, rounds = measuring.quoted, measuring.median, measuring.rounds
local pattern = arg[1] or ""
local tocha, python = os.getenv "TOCHA", os.getenv "PYTHON"
if python == "" then python = nil end

local function lines_of(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  return pipe:close() and text or ""
end

-- Returns {time, loss, growth, whole}, or nil if the process failed.
local function run(program, script, name, what)
  local text = lines_of(("%s %s %s %s"):format(quoted(program), script, quoted(name), what))
  local time, loss, growth, whole = text:match "^(%S+)\t(%S+)\t(%S+)\t(%S+)\n$"
  return time and {time = tonumber(time), loss = tonumber(loss), growth = tonumber(growth), whole = tonumber(whole)}
end

local function medians(runs)
  local result = {}
  for _, field in ipairs {"time", "loss", "growth", "whole"} do
    local values = {}
    for i, r in ipairs(runs) do values[i] = r[field] end
    result[field] = median(values)
  end
  return result
end

local function readable(ns)
  if ns >= 1e9 then return ("%.2f s"):format(ns / 1e9) end
  if ns >= 1e6 then return ("%.2f ms"):format(ns / 1e6) end
  return ("%.1f us"):format(ns / 1e3)
end

local function megabytes(r) return ("%.0f (%.0f)"):format(r.growth / 2 ^ 20, r.whole / 2 ^ 20) end

local function distance(a, b) return ("%.0e"):format(math.abs(a - b) / math.max(math.abs(b), 1e-12)) end

local row = "%-42s %10s %10s %9s %13s %13s %8s %7s"
local function write_row(...)
  io.write((row:format(...):gsub("%s+$", "")), "\n")
  io.flush()
end

local function compare(name, what)
  local title = (what == "train" and "train " or "infer ") .. name
  local ours, theirs, ratios = {}, {}, {}
  for _ = 1, rounds do
    local a = run(tocha, "bench/nets.lua", name, what)
    local b = python and run(python, "bench/nets.py", name, what)
    if a then ours[#ours + 1] = a end
    if b then theirs[#theirs + 1] = b end
    if a and b then ratios[#ratios + 1] = a.time / b.time end
  end
  if #ours == 0 then return write_row(title, "failed", "", "", "", "", "", "") end
  local a = medians(ours)
  if #theirs == 0 then return write_row(title, readable(a.time), "-", "-", megabytes(a), "-", "-", "-") end
  local b = medians(theirs)
  write_row(title, readable(a.time), readable(b.time), ("%.2f"):format(median(ratios)), megabytes(a), megabytes(b),
    ("%.2f"):format(a.growth / b.growth), distance(a.loss, b.loss))
end

print(("Threads: %s; rounds: %d, medians; ratios below 1: Tocha is faster or smaller.\n")
  :format(os.getenv "OMP_NUM_THREADS" or "?", rounds))
write_row("", "Tocha", "PyTorch", "/ PyTorch", "Tocha MiB", "PyTorch MiB", "/ PyTorch", "losses")
for _, what in ipairs {"train", "infer"} do
  for name in lines_of(quoted(tocha) .. " bench/nets.lua"):gmatch "[^\n]+" do
    if (what .. " " .. name):find(pattern, 1, true) then compare(name, what) end
  end
end
if not python then io.write "\nPYTHON=python3 with PyTorch shows PyTorch beside it.\n" end
