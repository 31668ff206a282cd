-- deaths.lua: ranks die at random points; says what went wrong, and after how many seconds the survivors knew. Or: trainings with a death, which
-- --max-restarts brings to their end, are compared with an undisturbed one.
--   lua5.4 spec/distributed/deaths.lua [points, 500] [seed] [engines: gloo,openmpi,mpich] [how many at a time, 1]
--   lua5.4 spec/distributed/deaths.lua restarts [times, 20] [seed]
-- It needs luafilesystem, and a tocha (TOCHA names it). By root, some ranks also die for a limit of memory.
package.path = "spec/support/?.lua;" .. package.path
local deaths = require "deaths"

-- Returns true if all trainings with so many ranks end with the digits of an undisturbed one.
local function compare_restarts(ranks, times)
  local expected, problem = deaths.train(ranks, -1, 0)
  local equal = 0
  for _ = 1, expected and times or 0 do
    local dying, step = math.random(0, ranks - 1), math.random(deaths.steps)
    local digits, restarts = deaths.train(ranks, dying, step)
    if digits == expected and restarts == 1 then
      equal = equal + 1
    else
      print(("rank %d of %d dies at step %d: %s"):format(dying, ranks, step, digits and restarts .. " restarts, other digits" or restarts))
    end
  end
  print(("%d ranks: %d of %d as without a death %s"):format(ranks, equal, times, expected and "" or problem))
  return equal == times
end

if arg[1] == "restarts" then
  local times, seed = tonumber(arg[2]) or 20, math.tointeger(tonumber(arg[3])) or os.time()
  math.randomseed(seed)
  print("seed " .. seed)
  local good = true
  for ranks = 2, 4 do good = compare_restarts(ranks, times) and good end
  os.exit(good)
end

local points, seed = tonumber(arg[1]) or 500, math.tointeger(tonumber(arg[2])) or os.time()
local engines, ways = {}, table.move(deaths.ways, 1, #deaths.ways, 1, {})
for engine in (arg[3] or "gloo,openmpi,mpich"):gmatch "%a+" do
  if deaths.has(engine) then engines[#engines + 1] = engine else print(engine .. " is not here: skipped") end
end
if deaths.memory_group() then ways[#ways + 1] = "memory" else print "no limit of memory can be set: skipped" end

-- Several processes of this program share the points.
local at_a_time, own = tonumber(arg[4]) or 1, tonumber(arg[5])
print(("%d points, seed %d"):format(points, seed))
if at_a_time > 1 and not own then
  local commands = {}
  for i = 1, at_a_time do
    commands[i] = ("lua5.4 %s %d %d %s %d %d &"):format(arg[0], points, seed, table.concat(engines, ","), at_a_time, i)
  end
  os.execute(table.concat(commands, "\n") .. "\nwait")
  return
end

math.randomseed(seed)
local latencies, wrong = {}, 0
for n = 1, points do
  local point = deaths.random(engines, ways)
  if not own or n % at_a_time == own - 1 then
    local seconds, problem = deaths.check(point)
    if seconds then latencies[#latencies + 1] = seconds end
    if problem or seconds and seconds > 1 then
      wrong = wrong + 1
      print(("%d. %s: %s\n"):format(n, deaths.describe(point), problem or ("known after %.3f s"):format(seconds)))
    end
    io.stdout:flush()
  end
end
table.sort(latencies)
local function share(part) return latencies[math.max(1, math.ceil(#latencies * part))] or 0 end
print(("%d wrong; the last survivor knew after %.3f s (median), %.3f s (nine of ten), %.3f s (99 of 100), %.3f s (at most)"):format(wrong, share(0.5),
  share(0.9), share(0.99), share(1)))
os.exit(wrong == 0)
