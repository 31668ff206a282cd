-- python_spec.lua: every function, called in Python by the binding that is made from the description of the interface; tensors
-- between Tocha and PyTorch in one process.
local programs = require "programs"
local shell = require "shell"

describe("Tocha in Python", function()
  if shell.run(("nm -D '%s/libtocha.so'"):format(programs.folder)):find "__asan_" then return pending "sanitizers are linked to programs of their own" end

  it("dies of no call with NULL, zeros or nonsense", function()
    if not shell.has "python3" then return pending "there is no Python" end
    assert.equal("more than 2500 functions, 0 died\n", shell.run(
      ("python3 spec/host/every_function.py '%s/generated/tocha_api.json' '%s/libtocha.so'"):format(programs.folder, programs.folder)))
  end)

  it("exchanges tensors with PyTorch", function()
    local python = os.getenv "TOCHA_PYTHON" or "python3"
    if not os.execute(python .. " -c 'import torch' >/dev/null 2>&1") then return pending "there is no PyTorch" end
    assert.equal("486 checks, 0 wrong\n", shell.run(("LD_LIBRARY_PATH='%s' %s spec/host/exchange.py"):format(programs.folder, python)))
  end)
end)
