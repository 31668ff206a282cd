-- measuring.lua: what the programs of this folder share: the clock, the memory of this process, medians, words for a shell.
local measuring = {}

--- Nanoseconds of the processor's time: right for one thread only.
function measuring.processor_time() return os.clock() * 1e9 end

local found, clock = pcall(require, "bench_clock")
measuring.now = found and clock or measuring.processor_time

--- The bytes that a line of /proc/self/status tells: "VmRSS", "VmHWM".
function measuring.status_bytes(field)
  for line in io.lines "/proc/self/status" do
    local kilobytes = line:match("^" .. field .. ":%s*(%d+)")
    if kilobytes then return math.tointeger(kilobytes) * 1024 end
  end
end

--- nil where there are none. Sorts them.
function measuring.median(values)
  table.sort(values)
  return values[(#values + 1) // 2]
end

function measuring.quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

--- How often each is measured, in turns.
measuring.rounds = math.tointeger(tonumber(os.getenv "ROUNDS" or "")) or 3

return measuring
