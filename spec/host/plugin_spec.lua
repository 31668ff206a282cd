-- plugin_spec.lua: a Lua module in C that defines operators, compiled with the installed headers alone and linked to nothing, in
-- the program tocha and in stock Lua.
local programs = require "programs"
local shell = require "shell"
local run, has = shell.run, shell.has

describe("a plug-in with operators", function()
  if not has "cc" or not has "pkg-config" then return pending("cc or pkg-config is missing") end
  local folder = os.tmpname()
  os.remove(folder)

  setup(function()
    run(("mkdir %s && cc -shared -fPIC -std=c11 -Wall -Wextra -Werror spec/host/plugin.c $(pkg-config --cflags lua5.4) " ..
      "-Ibindings/include -Iruntime/include -I%s/generated/include -o %s/plugin.so"):format(folder, programs.folder, folder))
  end)
  teardown(function() os.execute("rm -r " .. folder) end)

  it("works in tocha", function()
    assert.are.equal("the plug-in works\n", run(("LUA_CPATH='%s/?.so' %s spec/host/plugin_check.lua"):format(folder, programs.tocha)))
  end)

  it("works in stock Lua", function()
    assert.are.equal("the plug-in works\n",
      run(("LUA_CPATH='%s/?.so;%s/?.so' %s spec/host/plugin_check.lua"):format(folder, programs.folder, programs.lua)))
  end)

  it("is completed at the prompt, and its keywords", function()
    local script = [[
      local session = torch._part "prompt.session"
      for _, text in ipairs {"torch.ops.plu", "torch.ops.plugin.sc", "torch.ops.plugin.scale(x, {b"} do
        print(select(2, session.complete(text, #text + 1))[1].text)
      end]]
    assert.are.equal("plugin\nscale\nby = \n", run(("LUA_CPATH='%s/?.so' %s -l plugin -e '%s'"):format(folder, programs.tocha, script)))
  end)

  it("is known to help", function()
    local shown = run(("LUA_CPATH='%s/?.so' %s -l plugin -e 'print(torch._help(torch.ops.plugin.scale))'"):format(folder, programs.tocha))
    assert.matches("scale%(Tensor x, float by=2.0, %*, float offset=0.0%) %-> Tensor\n    x %* by %+ offset.", shown)
  end)
end)
