-- shards_spec.lua: the specs of a device in shards that continue after a fault (bench/shards.lua), on the simulated GPU with a
-- kernel that faults (TOCHA_SIMULATOR_PLANT), for a few operators.
local lfs = require "lfs"
local programs = require "programs"
local tap = require "tap"
local quote, output = programs.quote, programs.output

local OPERATORS = "abs add avg_pool1d avg_pool2d max_pool2d sum"
local PLANTED = "spread_images"   -- the gradient of average pooling

local has_simulator = lfs.attributes(programs.folder .. "/libtocha_cuda_simulated.so") ~= nil

-- Runs a command of shards.lua with logs in `folder`, and returns what it printed.
local function shards(folder, variables, words)
  return output(("env TOCHA_CUDA=simulate TOCHA=%s LUA=%s LOGS=%s OPS=%s %s %s bench/shards.lua %s"):format(quote(programs.tocha),
    quote(programs.lua), folder, quote(OPERATORS), variables, quote(programs.lua), words))
end

local function new_folder()
  local folder = os.tmpname()
  os.remove(folder)
  assert(lfs.mkdir(folder))
  return folder
end

-- With sanitizers these tests would take minutes and show nothing more.
local section = has_simulator and not os.getenv "LD_PRELOAD" and describe or function(title) pending(title) end

section("shards of specs on a device", function()
  local folder, printed, sound

  setup(function()
    folder, sound = new_folder(), new_folder()
    printed = shards(folder, "TOCHA_SIMULATOR_PLANT=" .. PLANTED .. " TOCHA_SPEC_RESULTS=" .. folder .. "/specs.txt", "run ops spec/ops/ops_spec.lua")
    shards(sound, "", "run ops spec/ops/ops_spec.lua")
  end)
  teardown(function() os.execute("rm -r " .. folder .. " " .. sound) end)

  it("go on behind an error that stays", function()
    assert.is_truthy(printed:find("FAILED +ops +%d+ passed, 2 failed, %d+ pending, 3 processes"), printed)
    local log = programs.read(folder .. "/ops.tap")
    assert.is_true(tap.is_complete(log))
    assert.is_truthy(log:find("\nok %d+ %- dtypes: sum float64\n"))
  end)

  it("lose nothing but tests of the operators that met it", function()
    local with_fault, without = tap.results(folder .. "/ops.tap"), tap.results(sound .. "/ops.tap")
    local lost = {}
    for name in pairs(without) do
      if not with_fault[name] then lost[tap.operator(name)] = true end
    end
    assert.are.same({avg_pool1d = true, avg_pool2d = true}, lost)
  end)

  it("name those operators, and no other", function()
    local names = {}
    for name, test in shards(folder, "", "guilty"):gmatch "([^\t\n]*)\t[^\t]*\t([^\t]*)\t[^\n]*" do names[name] = test end
    assert.are.same({avg_pool1d = "gradient as PyTorch: avg_pool1d", avg_pool2d = "gradient as PyTorch: avg_pool2d"}, names)
  end)

  it("write each result at once into the file of results", function()
    local errors = 0
    for line in io.lines(folder .. "/specs.txt") do
      local status, file, _, message = line:match "^(%l+)\t([^\t]+)\t([^\t]+)\t(.*)$"
      assert(status and file == "spec/ops/ops_spec.lua", line)
      if status ~= "success" then
        errors = errors + 1
        assert.is_truthy(message:find("kernel (" .. PLANTED, 1, true), message)
      end
    end
    assert.are.equal(2, errors)
  end)

  it("say that a process died, and in which test", function()
    local spec, log = folder .. "/dies_spec.lua", folder .. "/dies.tap"
    programs.write(spec, 'it("lives", function() end) it("dies", function() os.exit(9) end) it("lives on", function() end)')
    assert.is_truthy(shards(folder, "", "run dies " .. spec):find("2 passed, 1 failed, 0 pending, 2 processes", 1, true))
    assert.are.same({lives = 1, dies = 1, ["lives on"] = 1}, tap.results(log))
    assert.is_truthy(shards(folder, "", "guilty"):find("dies\t" .. spec .. "\tdies\tthe process ended with status 9", 1, true))
  end)

  it("tell a test that hangs from a process that is slow", function()
    local hangs, slow = folder .. "/hangs_spec.lua", folder .. "/slow_spec.lua"
    programs.write(hangs, 'it("hangs", function() os.execute "exec sleep 60" end) it("lives on", function() end)')
    assert.is_truthy(shards(folder, "PROCESS_LIMIT=8 TEST_LIMIT=4", "run hangs " .. hangs):find("1 passed, 1 failed, 0 pending", 1, true))
    assert.is_truthy(shards(folder, "", "guilty"):find("hangs\t" .. hangs .. "\thangs\tit took too long", 1, true))
    programs.write(slow, 'for i = 1, 2 do it("is slow " .. i, function() os.execute "exec sleep 5" end) end')
    assert.is_truthy(shards(folder, "PROCESS_LIMIT=8 TEST_LIMIT=60", "run slow " .. slow):find("2 passed, 0 failed", 1, true))
  end)

  it("make sixteen equal parts of the operators, and a job of each other file", function()
    local jobs = shards(folder, 'SPECS="spec/ops/ops_spec.lua spec/devices/tensors_spec.lua"', "list")
    assert.is_truthy(jobs:find("^ops_01 spec/ops/ops_spec.lua 1/16\n"))
    assert.is_truthy(jobs:find("\nops_16 spec/ops/ops_spec.lua 16/16\ndevices_tensors_spec\tspec/devices/tensors_spec.lua\n$"), jobs)
  end)
end)
