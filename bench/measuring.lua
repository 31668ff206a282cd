-- measuring.lua: shared by the programs of this folder: the clock, the memory of this process, medians, words for a shell.
local measuring = {}

--- Returns the nanoseconds of the processor's time, which are meaningful for one thread only.
function measuring.processor_time() return os.clock() * 1e9 end

local found, clock = pcall(require, "bench_clock")
measuring.now = found and clock or measuring.processor_time

--- Returns the bytes that a line of /proc/self/status shows: "VmRSS", "VmHWM".
function measuring.status_bytes(field)
  for line in io.lines "/proc/self/status" do
    local kilobytes = line:match("^" .. field .. ":%s*(%d+)")
    if kilobytes then return math.tointeger(kilobytes) * 1024 end
  end
end

--- Sorts the values and returns their median, or nil if there are none.
function measuring.median(values)
  table.sort(values)
  return values[(#values + 1) // 2]
end

function measuring.quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- The number of times that each case is measured, in turns.
measuring.rounds = math.tointeger(tonumber(os.getenv "ROUNDS" or "")) or 3

return measuring
