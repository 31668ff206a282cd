-- python_spec.lua: every function, called in Python by the binding that is made from the description of the interface.
local programs = require "programs"
local shell = require "shell"

describe("Tocha in Python", function()
  if shell.run(("nm -D '%s/libtocha.so'"):format(programs.folder)):find "__asan_" then return pending "sanitizers are linked to programs of their own" end

  it("dies of no call with NULL, zeros or nonsense", function()
    if not shell.has "python3" then return pending "there is no Python" end
    assert.equal("more than 2500 functions, 0 died\n", shell.run(
      ("python3 spec/host/every_function.py '%s/generated/tocha_api.json' '%s/libtocha.so'"):format(programs.folder, programs.folder)))
  end)
end)
