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

  -- The last ranks' images are fewer than a batch, and the sets cannot be divided by 3: a rest is left that all ranks measure.
  it("learn from images of noise, started by spawn or by the launcher, and go on from a checkpoint", function()
    local path = os.tmpname()
    local small = "--dummy --dummy-size 100 --image-size 32 --classes 10 -b 20 -p 10 --lr 0.01 --seed 1 --checkpoint " .. path
    local launched = run("--nproc 3", "imagenet.lua", small, "--epochs 1")
    local first = launched:match "%[0%]  %*   (Acc@1 [%d.]+ Acc@5 [%d.]+)\n"
    assert.truthy(first, launched)
    for rank = 0, 2 do assert.truthy(launched:find(("[%d]  *   %s"):format(rank, first), 1, true), launched) end
    assert.truthy(launched:find("[0] Test: [1/2]", 1, true), launched)

    local spawned = run("", "imagenet.lua", small, "--epochs 2 --resume", path, "--multiprocessing-distributed --nproc 2 --world-size 1 --rank 0 " ..
      "--dist-url file://" .. path .. ".store")
    assert.truthy(spawned:find "=> loaded checkpoint '.-' %(epoch 1%)\n.*Epoch: %[1%]%[1/5%]", spawned)
    local accuracies = {}
    for line in spawned:gmatch "%*   (Acc@1 [^\n]*)" do accuracies[#accuracies + 1] = line end
    assert.same({accuracies[1], accuracies[1]}, accuracies)
    os.remove(path)
  end)
end)
