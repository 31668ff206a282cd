-- static_spec.lua: libtocha_lua.a and libtocha.a in a program: no name of ours gets in the way of the program's, with Lua linked
-- statically or not, and whether or not the program's names are visible to the loader.
local programs = require "programs"
local shell = require "shell"
local run, has = shell.run, shell.has

describe("libtocha_lua.a", function()
  local archive = programs.folder .. "/libtocha_lua.a"
  if not has "cc" or not io.open(archive) then return pending("cc or libtocha_lua.a is missing") end
  if run(("nm %s"):format(archive)):find "__asan_" then return pending("sanitizers are linked to programs of their own") end

  it("defines names of ours only", function()
    local others = {}
    for line in run(("nm -g --defined-only %s/libtocha*.a"):format(programs.folder)):gmatch "[^\n]+" do
      local name = line:match "^%x+ %a ([%w_]+)$"
      if name and not name:find "^tocha_" and not name:find "^luaopen_" then others[#others + 1] = name end
    end
    assert.are.same({}, others)
    assert.matches("T tocha_lua_interrupt", run(("nm -g --defined-only %s"):format(archive)))
  end)

  local static = run "find /usr/lib /usr/local/lib -name 'liblua5.4.a' 2>/dev/null | head -n 1":gsub("\n", "")
  local names = os.tmpname()
  os.remove(names)
  local runtime = programs.folder .. "/libtocha.a"
  local has_runtime = io.open(runtime) ~= nil

  -- Returns the names that a command of nm lists, in a set. kinds: letters of nm.
  local function listed(command, kinds)
    local set = {}
    for line in run(command):gmatch "[^\n]+" do
      local name = line:match(" [" .. kinds .. "] (%a[%w_]*)%f[^%w_]$") or line:match(" [" .. kinds .. "] (%a[%w_]*)@")
      if name then set[name] = true end
    end
    return set
  end

  setup(function()
    -- what the program takes from elsewhere, and its own
    local taken = listed("nm -D $(cc -print-file-name=libc.so.6) $(cc -print-file-name=libm.so.6)", "TWiBD")
    for name in pairs(listed(static ~= "" and "nm " .. static or "true", "TD")) do taken[name] = true end
    taken.main, taken.called = true, true
    local inner = listed("nm " .. archive, "tdbr")
    for name in pairs(listed(has_runtime and "nm " .. runtime or ("nm %s/libtocha.so"):format(programs.folder), "tdbr")) do inner[name] = true end
    local lines, count = {"void called(const char *name);"}, 0
    for name in pairs(inner) do
      if not taken[name] then
        lines[#lines + 1] = ("void %s(void) { called(\"%s\"); }"):format(name, name)
        count = count + 1
      end
    end
    assert.is_true(count > 5000, count)
    programs.write(names .. ".c", table.concat(lines, "\n") .. "\n")
    run(("cc -w -fno-builtin -c %s.c -o %s.names.o"):format(names, names))
    run(("cc -std=c11 -Wall -Wextra -Werror -c spec/host/static_host.c -o %s.o $(pkg-config --cflags lua5.4) -Ibindings/include " ..
      "-Iruntime/include -I%s/generated/include"):format(names, programs.folder))
  end)
  teardown(function() os.execute(("rm -f %s.*"):format(names)) end)

  local shared = ("-L%s -ltocha -Wl,-rpath,%s"):format(programs.folder, programs.folder)
  local sleef = run "ldconfig -p 2>/dev/null || true":find "libsleef%.so " and "-lsleef" or ""
  for _, library in ipairs {shared, has_runtime and ("%s %s"):format(runtime, sleef) or nil} do
    for _, lua in ipairs {static, "-llua5.4"} do
      for _, visible in ipairs {"", "-rdynamic"} do
        it(("works with %s, %s %s"):format(library == shared and "libtocha.so" or "libtocha.a",
          lua == static and "a static Lua" or "Lua's library", visible), function()
          if lua == "" then return pending "there is no static Lua" end
          local program = names .. ".host"
          run(("cc %s.o %s.names.o %s %s %s %s -ldl -lm -lpthread -o %s"):format(names, names, visible, archive, library, lua, program))
          local printed = run(program)
          assert.are.equal("tensor([[2., 2., 2.],\n        [2., 2., 2.]])\n", printed)
        end)
      end
    end
  end
end)
