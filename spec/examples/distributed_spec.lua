-- distributed_spec.lua: the programs of examples/distributed on two ranks.
local programs = require "programs"

-- Returns what the ranks print, without the names of processes.
local function run(options, name, ...)
  local words = {"timeout 60", programs.quote(programs.tocha), options, "examples/distributed/" .. name, ...}
  return programs.output("env OMP_NUM_THREADS=1 " .. table.concat(words, " "))
end

describe("examples of several processes", function()
  it("read digits", function()
    local text = run("--nproc 2", "digits.lua", 3)
    local accuracy = text:match "^%[0%] epoch  1  loss [%d.]+  accuracy  [%d.]+%%\n.*epoch  3  loss [%d.]+  accuracy +([%d.]+)%%\n$"
    assert.is_true(tonumber(accuracy) > 85, text)
  end)

  it("spread the states of an optimizer", function()
    local text = run("--nproc 2", "zero.lua")
    local part, whole = text:match "^%[0%] loss [%d.]+; this rank holds (%d+) numbers of state, the checkpoint (%d+)\n$"
    assert.is_true(tonumber(part) < 0.75 * tonumber(whole), text)   -- one layer has most of the parameters
  end)

  it("go on after a death, to the same numbers", function()
    local path = os.tmpname()
    os.remove(path)
    local undisturbed = run("--nproc 2", "resume.lua", path):match "step 40  weights [^\n]*"
    os.remove(path)
    local text = run("--nproc 2 --max-restarts 1", "resume.lua", path, 25)
    os.remove(path)
    assert.truthy(text:find("First failure: rank 1", 1, true), text)
    assert.truthy(text:find("goes on after step 20\n", 1, true), text)
    assert.equal(undisturbed, text:match "step 40  weights [^\n]*")
  end)
end)
