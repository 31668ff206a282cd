-- table.lua cpu BARE [PATTERN]: runs cases.lua, cases.py and the program BARE (bare.c) in turns and
-- prints one table of medians and ratios. Started by bench/run, which sets the environment.
-- table.lua cuda BARE [PATTERN]: the same with families_cuda, networks_cuda, cases_cuda and
-- operators_cuda (.lua and .py) and bare_cuda.cpp. If
-- BARE is empty, PyTorch's own products and copies into existing tensors replace it. Each time is written at once
-- as a line of the file that RAW names.
-- table.lua kept FILE: prints the table of such a file, also of a run that was cut off. The last column has the
-- predicted times (results/predicted.tsv).
local torch = require "torch"
local measuring = dofile "bench/measuring.lua"
local quoted, median, rounds = measuring.quoted, measuring.median, measuring.rounds
local kept = arg[1] == "kept" and arg[2]
local on_card, bare, pattern = arg[1] == "cuda" or kept, kept and "" or arg[2], arg[3] or ""
local COPY = "copy on the GPU, float32"   -- the case that every case that moves bytes is compared with
local LOST = 70   -- the exit code of a program that lost the GPU (measuring_cuda.lua)
local tocha, python = os.getenv "TOCHA", os.getenv "PYTHON"
if python == "" then python = nil end

local names = {}                 -- in the order of the table
local results = {}               -- name -> {unit, bytes, tocha = {values}, python, bare}
local notes = {}                 -- name -> the reason why it is missing

local function record(side, name, value, unit, bytes)
  local result = results[name]
  if not result then
    result = {tocha = {}, python = {}, bare = {}}
    results[name] = result
    names[#names + 1] = name
  end
  result.unit, result.bytes = unit or result.unit, bytes or result.bytes
  if value then table.insert(result[side], value) end
end

-- Records a line that a case printed, and returns the case's name. Lines of other cases than `only` are ignored.
local function record_line(side, line, only)
  local name, value, rest = line:match "^([^\t]+)\t([^\t]+)\t?(.*)$"
  if not name or only and not results[name] then return nil end
  local unit, bytes, host = rest:match "^(%l+)\t?(%d*)\t?([%d.]*)"
  if value == "missing" then
    notes[name] = rest
    unit, bytes, host = nil, nil, nil
  end
  record(side, name, tonumber(value), unit or value ~= "missing" and "ns", tonumber(bytes))
  results[name].host = results[name].host or side == "tocha" and tonumber(host) or nil
  return name
end

local raw = arg[1] == "cuda" and os.getenv "RAW"

local function keep(side, line)
  if not raw then return end
  local file <close> = assert(io.open(raw, "a"))
  file:write(side, "\t", line, "\n")
end

-- Runs a command that prints cases and records them. Returns its last case and its exit code.
local function run(side, command, only)
  local pipe = assert(io.popen(command))
  local last
  for line in pipe:lines() do
    last = record_line(side, line, only) or last
    keep(side, line)
  end
  local _, _, code = pipe:close()
  if code ~= 0 and code ~= LOST then io.stderr:write("bench: this failed: ", command, "\n") end
  return last, code
end

-- Runs a program of measuring_cuda.lua. After a case that lost the GPU, a new process continues with the next case.
local function run_on_card(command)
  local after, code = run("tocha", command)
  while code == LOST and after do after, code = run("tocha", ("AFTER=%s %s"):format(quoted(after), command)) end
end

local function start_up(side, program, option, script)
  local name = "start, print a tensor, leave"
  if not name:find(pattern, 1, true) then return end
  local pipe = assert(io.popen(("%s time 5 %s %s %s"):format(quoted(bare), quoted(program), option,
    quoted(script))))
  record(side, name, tonumber(pipe:read "l"), "ns")
  pipe:close()
end

-- ---- measuring ----

local filter = " " .. quoted(pattern)

local function measure_on_card()
  for _, program in ipairs{"families_cuda", "networks_cuda", "cases_cuda", "operators_cuda"} do
    run_on_card(("%s bench/%s.lua%s"):format(quoted(tocha), program, filter))
    if python then run("python", ("%s bench/%s.py speed%s"):format(quoted(python), program, filter)) end
  end
  if bare ~= "" then
    run("bare", quoted(bare))
  elseif python then
    run("bare", quoted(python) .. " bench/cases_cuda.py bare")
  end
end

local function measure_on_cpu()
  for _, what in ipairs {"speed", "memory"} do
    run("tocha", quoted(tocha) .. " bench/cases.lua " .. what .. filter)
    if python then run("python", quoted(python) .. " bench/cases.py " .. what .. filter) end
  end
  run("bare", quoted(bare), true)
  start_up("tocha", tocha, "-e", "print(torch.ones(3, 3))")
  if python then start_up("python", python, "-c", "import torch; print(torch.ones(3, 3))") end
end

if kept then
  for line in io.lines(kept) do
    local side, rest = line:match "^(%l+)\t(.*)$"
    if side then record_line(side, rest) end
  end
end
for round = 1, kept and 0 or rounds do
  io.stderr:write(("round %d of %d\r"):format(round, rounds));
  (on_card and measure_on_card or measure_on_cpu)()
end

-- ---- the table ----

local scales = {
  ns = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}},
  bytes = {{2 ^ 30, "GiB"}, {2 ^ 20, "MiB"}, {2 ^ 10, "KiB"}, {1, "B"}},
}

local function significant(x)
  return (x < 9.995 and "%.2f" or x < 99.95 and "%.1f" or "%.0f"):format(x)
end

local function readable(value, unit)
  if not value then return "-" end
  for _, scale in ipairs(scales[unit] or {}) do
    if value >= 0.9995 * scale[1] then return significant(value / scale[1]) .. " " .. scale[2] end
  end
  return ("%.4g"):format(value)
end

local function ratio(a, b)
  if not (a and b) then return "-" end
  return (a / b < 0.1 and "%.3f" or "%.2f"):format(a / b)
end

-- Returns a bandwidth: bytes in a nanosecond are gigabytes in a second.
local function bandwidth(result, value)
  return value and result.bytes and ("%.1f GB/s"):format(result.bytes / value) or ""
end

-- Returns the time of the bare call or, on the GPU, of a copy of as many bytes.
local function floor(name, copy)
  local result = results[name]
  local own = median(result.bare)
  if own or not (on_card and copy and result.bytes) then return own end
  return result.bytes / results[COPY].bytes * copy
end

local copy = results[COPY] and median(results[COPY].bare)
if not (copy and results[COPY].bytes) then copy = nil end
io.stderr:write "                  \r"
if on_card then
  io.write(("%s; medians; ratios below 1: Tocha is faster. host: the processor's time to ask for it.\n")
    :format(torch.cuda.is_available() and torch.cuda.get_device_name(0) or "no GPU here"))
  if not kept and (bare ~= "" or python) then
    io.write(bare ~= "" and "bare: cuBLAS called directly" or "bare: PyTorch's products into a tensor that is there",
      ", or a copy on the GPU of as many bytes.\n")
  end
  io.write "\n"
else
  io.write(("Threads: %s; rounds: %d, medians; ratios below 1: Tocha is faster or smaller.\n\n")
    :format(os.getenv "OMP_NUM_THREADS" or "?", rounds))
end
-- The times predicted before a GPU was available, by name.
local predicted = {}
for line in on_card and io.lines "bench/results/predicted.tsv" or function() end do
  local name, text = line:match "^([^#\t][^\t]*)\t(.*)$"
  if name then predicted[name] = text:gsub("\t(.+)", "; PyTorch %1"):gsub("\t", "") end
end

local bare_title = on_card and "bare" or "bare C"
local row = (on_card and "%-54s" or "%-42s") .. " %11s %11s %9s %11s %9s %11s" .. (on_card and " %9s  %s" or "")
local function write_row(...) io.write((row:format(...):gsub("%s+$", "")), "\n") end
write_row("", "Tocha", "PyTorch", "/ PyTorch", bare_title, "/ " .. bare_title, "Tocha moves", "host", "predicted")
for _, name in ipairs(names) do
  local result = results[name]
  local t, p, b = median(result.tocha), median(result.python), floor(name, copy)
  if name:find(pattern, 1, true) then
    write_row(name, t and readable(t, result.unit) or "missing", readable(p, result.unit),
      ratio(t, p), readable(b, result.unit), ratio(t, b), bandwidth(result, t), readable(result.host, "ns"), predicted[name] or "")
  end
end

local shown = false
for _, name in ipairs(names) do
  if notes[name] and #results[name].tocha == 0 then
    io.write(shown and "" or "\nmissing:\n", "  ", name, ": ", notes[name], "\n")
    shown = true
  end
end
if not python and not kept then io.write "\nPYTHON=python3 with PyTorch shows PyTorch beside it.\n" end
