-- death_spec.lua: ranks that die: each survivor names the dead one, and how it ended, within a second; nothing is left behind; and a training that is
-- started again from its checkpoint ends with the digits of an undisturbed one. spec/distributed/deaths.lua does so at random points, and more often.
local deaths = require "deaths"
local programs = require "programs"

local function check(point)
  local seconds, problem = deaths.check(point)
  assert.is_nil(problem)
  assert.is_true((seconds or 0) < 1, seconds)
end

local function can_unshare() return (os.execute "unshare -p -f true 2>/dev/null") == true end

-- Launches a script, of which one rank runs in a namespace of processes of its own. Returns the exit code.
local function launch_elsewhere(elsewhere)
  return function(script)
    local wrapper = script .. ".sh"
    programs.write(wrapper, ("if [ $RANK = %d ]; then exec unshare -p -f --kill-child --mount-proc sh -c '%s %s; exit $?'; else exec %s %s; fi"):format(
      elsewhere, programs.tocha, script, programs.tocha, script))
    return deaths.launch(wrapper, 3, "--no-python sh", script)
  end
end

-- What the ranks do, when one of them dies, and how. Every operation, moment and way is there.
local points = {
  {"all_reduce", "within", "kill"}, {"broadcast", "before", "segv"}, {"send", "after", "exit"}, {"ddp", "within", "stop"},
  {"barrier", "before", "error"}, {"init", "within", "kill"}, {"store", "before", "stop"}, {"monitored_barrier", "after", "kill"},
  {"new_group", "after", "error"}, {"destroy", "before", "exit"},
}

describe("a death", function()
  for i, point in ipairs(points) do
    it(("%s %s, by %s, is named by the others"):format(point[2], point[1], point[3]), function()
      check {engine = "gloo", ranks = 3, victim = i % 3, what = point[1], moment = point[2], way = point[3],
        count = point[2] == "within" and 1000000 or 1000, delay = 0.05}
    end)
  end

  for engine, way in pairs {openmpi = "kill", mpich = "exit"} do
    local test = deaths.has(engine) and it or pending
    test("in an all_reduce of " .. engine .. " is named by the others", function()
      check {engine = engine, ranks = 2, victim = 1, what = "all_reduce", moment = "within", way = way, count = 1000, delay = 0.05}
    end)
  end

  -- A namespace of processes is a host of its own for the ranks: no board, no process that they can look at.
  for i, moment in ipairs(can_unshare() and {"before", "within"} or {}) do
    it(moment .. " an operation on another host is named", function()
      check {engine = "gloo", ranks = 3, victim = 3 - i, what = "all_reduce", moment = moment, way = "kill", count = 1000000, delay = 0.05,
        launch = launch_elsewhere(1), ending = i == 2 and "ended with exit code 137" or nil}   -- rank 1 is the child of a shell
    end)
  end
  if not can_unshare() then pending "on another host: needs namespaces of processes (unshare -p)" end

  for ranks, step in pairs {[2] = 7, [3] = 14} do
    it(("in a training of %d ranks that is started again changes no digit"):format(ranks), function()
      local expected, restarts = deaths.train(ranks, -1, 0)
      assert.are.equal(0, restarts)
      local digits, again = deaths.train(ranks, 1, step)
      assert.are.equal(1, again)
      assert.is_true(expected == digits)
    end)
  end
end)
