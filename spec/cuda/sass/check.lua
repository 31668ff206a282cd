-- check.lua FOLDER: reads what nvcc made of the kernels (the objects below FOLDER, for sm_90) and compares it with limits.lua.
-- CUOBJDUMP names the tool where it is not in the PATH.
local here = arg[0]:match "^(.*)/"
package.path = here .. "/?.lua;" .. package.path
local sass = require "sass"
local limits = dofile(here .. "/limits.lua")
local tool = os.getenv "CUOBJDUMP" or "cuobjdump"

local function read(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  if not pipe:close() then error(command .. " failed") end
  return text
end

local function object(name)
  local found = read(("find '%s' -path '*/%s.cu.o'"):format(arg[1], name)):match "[^\n]+"
  local file = found or error("no object of " .. name .. ".cu below " .. arg[1])
  return {resources = sass.resources(read(("%s -res-usage '%s'"):format(tool, file))),
          loops = sass.loops(read(("%s -arch sm_90 -sass '%s'"):format(tool, file)))}
end

-- The one kernel whose (mangled) name has all these parts.
local function find(kernels, parts)
  local found
  for name in pairs(kernels) do
    local fits = true
    for part in parts:gmatch "%S+" do fits = fits and name:find(part, 1, true) end
    if fits and found then error(("'%s' names two kernels: %s, %s"):format(parts, found, name)) end
    found = fits and name or found
  end
  return found or error("no kernel " .. parts)
end

-- The loop that the limits are about: of those without such a loop inside, the one that asks for most at once, with the fewest instructions.
local function main_loop(loops)
  local best
  for _, loop in ipairs(loops) do
    local innermost = true
    for _, other in ipairs(loops) do
      innermost = innermost and (other == loop or other.first < loop.first or other.last > loop.last)
    end
    if innermost and (not best or loop.ahead > best.ahead or loop.ahead == best.ahead and loop.instructions < best.instructions) then
      best = loop
    end
  end
  return best
end

local passed, failed = 0, 0
local function check(title, what, got, limit, fine)
  if not limit then return end
  if fine then
    passed = passed + 1
  else
    failed = failed + 1
    print(("%s: %s %s, the limit is %s"):format(title, what, got, limit))
  end
end

for file, rows in pairs(limits) do
  local of = object(file)
  for _, row in ipairs(rows) do
    local name = find(of.loops, row[1])
    local resources, loop = of.resources[name], row.whole and of.loops[name].whole or main_loop(of.loops[name])
    local title = file .. ".cu, " .. row[1]
    if os.getenv "SHOW" then
      print(("%-80s %d registers, stack %d; %s instructions, %s bytes ahead"):format(title, resources.registers, resources.stack,
        loop and loop.instructions, loop and loop.ahead))
    end
    check(title, "registers", resources.registers, row.registers, resources.registers <= row.registers)
    check(title, "bytes of stack", resources.stack, row.stack or 0, resources.stack <= (row.stack or 0))
    local products = of.loops[name].products
    check(title, "products of tensor cores", products, row.products, row.products and products >= row.products)
    if row.instructions then
      check(title, "instructions a round", loop.instructions, row.instructions, loop.instructions <= row.instructions)
      check(title, "bytes asked for at once", loop.ahead, row.ahead, loop.ahead >= row.ahead)
      check(title, "bytes of the narrowest load", loop.narrowest, row.narrowest or 16, loop.narrowest >= (row.narrowest or 16))
    end
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
