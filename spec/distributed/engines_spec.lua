-- engines_spec.lua: the engine mpi under the launchers of Open MPI, MPICH and, if SPEC_MPI_ABI is the folder of such an MPI (the
-- wheel mpich's), of one with the standard's ABI. What is checked is in spec/c/distributed_engine_test.c.
local programs = require "programs"

local test = programs.folder .. "/distributed_engine_test"
local may_skip = not os.getenv "CI"   -- in CI every tool is expected
local rights = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 timeout 300 "

local function has(program) return (os.execute("command -v " .. program .. " >/dev/null")) end

-- Runs the test on two ranks, and expects that all checks of both hold.
local function run(launcher, words, engine)
  local output = programs.output(("%s %s -n 2 %s %s"):format(rights, launcher, test, words))
  local seen, passed = 0, 0
  for some, failed in output:gmatch "(%d+) passed, (%d+) failed" do
    seen, passed = seen + 1, passed + tonumber(some)
    assert.equal("0", failed, output)
  end
  assert.equal(2, seen, output)
  assert.truthy(output:find(engine), output)
  return passed
end

describe("the engine mpi", function()
  for name, engine in pairs {openmpi = "Open MPI %d", mpich = "MPICH %d"} do
    local launcher = "mpirun." .. name
    if not has(launcher) and may_skip then
      pending(launcher .. " is missing")
    else
      it("has the model's answers under " .. launcher, function()
        assert.is_true(run(launcher, "mpi", engine) > 3000)
      end)
      it("gives up a collective at its deadline under " .. launcher, function()   -- MPI's own, and messages
        for _, count in ipairs {100, 1000000} do assert.are.equal(2, run(launcher, "mpi alone " .. count, engine)) end
      end)
    end
  end

  if has "mpirun.openmpi" or not may_skip then
    it("moves what is longer than a call allows in pieces", function()
      run("mpirun.openmpi", programs.folder .. "/pieces/libtocha_mpi_pieces.so", "Open MPI")
    end)
  end

  local folder = os.getenv "SPEC_MPI_ABI"
  if not folder then
    pending("SPEC_MPI_ABI names no folder of an MPI with the standard's ABI")
  else
    it("has the model's answers with the standard's ABI", function()
      local mpi = ("env TOCHA_MPI=%s/lib/libmpi_abi.so.1 %s/bin/mpiexec"):format(folder, folder)
      assert.is_true(run(mpi, "mpi", "MPICH %d") > 3000)
    end)
  end
end)
