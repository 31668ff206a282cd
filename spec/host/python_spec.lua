-- python_spec.lua: examples/host/python: Tocha in Python by ctypes, with arrays of NumPy; and every function by the binding that
-- is made from the description of the interface.
local programs = require "programs"
local shell = require "shell"

-- A Python with NumPy: $TOCHA_PYTHON, or the system's.
local python = os.getenv "TOCHA_PYTHON" or "python3"

describe("Tocha in Python", function()
  if shell.run(("nm -D '%s/libtocha.so'"):format(programs.folder)):find "__asan_" then return pending "sanitizers are linked to programs of their own" end

  it("dies of no call with NULL, zeros or nonsense", function()
    if not shell.has "python3" then return pending "there is no Python" end
    assert.equal("more than 2500 functions, 0 died\n", shell.run(
      ("python3 spec/host/every_function.py '%s/generated/tocha_api.json' '%s/libtocha.so'"):format(programs.folder, programs.folder)))
  end)

  it("shares arrays with NumPy by DLPack", function()
    if not os.execute(python .. " -c 'import numpy' >/dev/null 2>&1") then return pending "there is no NumPy" end
    local said = shell.run(("LD_LIBRARY_PATH='%s' %s examples/host/python/dlpack.py"):format(programs.folder, python))
    assert.equal([==[
product of Tocha's: [[105.0, 44.0], [44.0, 50.0]]
as it should: mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
after the context is closed: 243.0
]==], said)
  end)
end)
