-- python_spec.lua: examples/host/python: Tocha in Python by ctypes, with arrays of NumPy.
local programs = require "programs"
local shell = require "shell"

-- A Python with NumPy: $TOCHA_PYTHON, or the system's.
local python = os.getenv "TOCHA_PYTHON" or "python3"

describe("Tocha in Python", function()
  if not os.execute(python .. " -c 'import numpy' >/dev/null 2>&1") then return pending "there is no NumPy" end
  if shell.run(("nm -D '%s/libtocha.so'"):format(programs.folder)):find "__asan_" then return pending "sanitizers are linked to programs of their own" end

  it("shares arrays with NumPy by DLPack", function()
    local said = shell.run(("LD_LIBRARY_PATH='%s' %s examples/host/python/dlpack.py"):format(programs.folder, python))
    assert.equal([==[
product of Tocha's: [[105.0, 44.0], [44.0, 50.0]]
as it should: mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
after the context is closed: 243.0
]==], said)
  end)
end)
