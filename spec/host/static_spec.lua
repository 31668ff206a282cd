-- static_spec.lua: libtocha_lua.a in a program: no name of ours gets in the way of the program's, with Lua linked statically or
-- not, and whether or not the program's names are visible to the loader.
local programs = require "programs"
local shell = require "shell"
local run, has = shell.run, shell.has

describe("libtocha_lua.a", function()
  local archive = programs.folder .. "/libtocha_lua.a"
  if not has "cc" or not io.open(archive) then return pending("cc or libtocha_lua.a is missing") end
  if run(("nm %s"):format(archive)):find "__asan_" then return pending("sanitizers are linked to programs of their own") end

  it("defines names of ours only", function()
    local others = {}
    for line in run(("nm -g --defined-only %s"):format(archive)):gmatch "[^\n]+" do
      local name = line:match "^%x+ %a ([%w_]+)$"
      if name and not name:find "^tocha_" and not name:find "^luaopen_" then others[#others + 1] = name end
    end
    assert.are.same({}, others)
    assert.matches("T tocha_lua_interrupt", run(("nm -g --defined-only %s"):format(archive)))
  end)

  local static = run "find /usr/lib /usr/local/lib -name 'liblua5.4.a' 2>/dev/null | head -n 1":gsub("\n", "")
  for _, lua in ipairs {static, "-llua5.4"} do
    for _, visible in ipairs {"", "-rdynamic"} do
      it(("works with %s %s"):format(lua == static and "a static Lua" or "Lua's library", visible), function()
        if lua == "" then return pending "there is no static Lua" end
        local program = os.tmpname()
        run(("cc -std=c11 -Wall -Wextra -Werror spec/host/static_host.c $(pkg-config --cflags lua5.4) -Ibindings/include -Iruntime/include " ..
          "-I%s/generated/include %s %s %s -L%s -ltocha -ldl -lm -lpthread -Wl,-rpath,%s -o %s"):format(
          programs.folder, visible, archive, lua, programs.folder, programs.folder, program))
        local printed = run(program)
        os.remove(program)
        assert.are.equal("tensor([[2., 2., 2.],\n        [2., 2., 2.]])\n", printed)
      end)
    end
  end
end)
