-- libtorch_table.lua BARE FOLDER [PATTERN]: the same small work in programs that use Tocha from Lua, C and C++, and in one that uses
-- libtorch, PyTorch's library for C++, in turns. Prints a table of medians: the processor's time, except for the start of a
-- program. FOLDER has the programs that bench/run compiled.
local measuring = dofile "bench/measuring.lua"
local quoted, median, rounds = measuring.quoted, measuring.median, measuring.rounds
local bare, folder, pattern = arg[1], arg[2], arg[3] or ""
local START, MEMORY = "start, print a tensor, leave", "memory of that program"

local sides = {
  {name = "Lua", command = quoted(os.getenv "TOCHA") .. " bench/host.lua"},
  {name = "C", command = quoted(folder .. "/host_c")},
  {name = "C++", command = quoted(folder .. "/host_cpp")},
  {name = "libtorch", command = quoted(folder .. "/libtorch")},
}
local names, values = {}, {}   -- values: name -> side -> list

local function record(side, name, value)
  if not name:find(pattern, 1, true) then return end
  if not values[name] then
    names[#names + 1], values[name] = name, {}
  end
  local of = values[name]
  of[side] = of[side] or {}
  table.insert(of[side], value)
end

local function read(command, use)
  local pipe = assert(io.popen(command))
  for line in pipe:lines() do use(line) end
  if not pipe:close() then error("this failed: " .. command) end
end

for round = 1, rounds do
  io.stderr:write(("round %d of %d\r"):format(round, rounds))
  for _, side in ipairs(sides) do
    local function named(line)
      local name, value = line:match "^([^\t]+)\t(%S+)$"
      if name then record(side, name == "memory" and MEMORY or name, tonumber(value)) end
    end
    read(side.command .. " speed", named)
    read(("%s time 5 %s"):format(quoted(bare), side.command), function(line) record(side, START, tonumber(line)) end)
    read(side.command .. " memory", named)
  end
end

-- Returns a number of nanoseconds, or of bytes, as text.
local function readable(name, value)
  if name == MEMORY then return ("%.0f MB"):format(value / 1e6) end
  if value < 1000 then return ("%.0f ns"):format(value) end
  return value < 1e6 and ("%.2f us"):format(value / 1e3) or ("%.1f ms"):format(value / 1e6)
end

print(("%-36s %10s %10s %10s %10s  %s"):format("", "Lua", "C", "C++", "libtorch", "C++ / libtorch"))
for _, name in ipairs(names) do
  local line, medians = {("%-36s"):format(name)}, {}
  for i, side in ipairs(sides) do
    medians[i] = median(values[name][side])
    line[#line + 1] = ("%10s"):format(readable(name, medians[i]))
  end
  print(table.concat(line, " ") .. ("  %.3f"):format(medians[3] / medians[4]))
end
