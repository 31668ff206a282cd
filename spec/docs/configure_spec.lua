-- configure_spec.lua: how CMake configures Tocha within another project, without Lua, and for another machine. Nothing is compiled.
local programs = require "programs"
local quote, output, write = programs.quote, programs.output, programs.write

-- Configures the folder `source` with these options. Returns what CMake printed, and the names of the targets.
local function configure(source, folder, options)
  local said = output(("cmake -G Ninja -S %s -B %s -DTOCHA_SIMULATOR=OFF -DTOCHA_CUDA=off %s 2>&1; echo $?"):format(quote(source), quote(folder), options))
  assert.are.equal("0", said:match "(%d+)%s*$", said)
  local targets = {}
  for name in output(("ninja -C %s -t targets all"):format(quote(folder))):gmatch "\n([%w_./-]+): " do targets[name:match "[^/]*$"] = true end
  return said, targets
end

local function exists(command) return os.execute(("command -v %s >/dev/null"):format(command)) end

describe("CMake", function()
  if not (exists "cmake" and exists "ninja") and not os.getenv "CI" then   -- in CI every tool is expected
    pending "cmake or ninja is missing"
    return
  end
  local here = output "pwd":match "[^\n]+"
  local folder

  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    os.execute("mkdir " .. quote(folder))
  end)
  after_each(function() os.execute("rm -rf " .. quote(folder)) end)

  it("takes the library into another project, without tests, module and program", function()
    write(folder .. "/game.c", '#include "tocha/tocha.h"\nint main(void) { tocha_close(tocha_open(0)); }\n')
    write(folder .. "/CMakeLists.txt", ([[
      cmake_minimum_required(VERSION 3.16)
      project(game LANGUAGES C)
      add_subdirectory(%q tocha)
      add_executable(game game.c)
      target_link_libraries(game PRIVATE tocha::tocha)
    ]]):format(here))
    local _, targets = configure(folder, folder .. "/build", "-DTOCHA_LUA=off")
    assert.is_true(targets.libtocha and targets.game)
    assert.is_nil(targets.tocha or targets["torch.so"] or targets.nn_test or targets.annotations)
    assert.is_nil(output("cat " .. quote(folder) .. "/build/cmake_install.cmake"):find("libtocha.so", 1, true))
  end)

  it("takes no library of this machine for another one, and runs nothing there", function()
    local said, targets = configure(here, folder .. "/build", "-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64")
    assert.truthy(said:find("JPEG_INCLUDE is not searched for when cross compiling without a sysroot", 1, true), said)
    assert.truthy(said:find("Lua 5.4's headers are not here (Debian: liblua5.4-dev): only the library is built", 1, true), said)
    assert.is_true(targets.libtocha and targets.nn_test)
    assert.is_nil(targets.tocha or targets.lua_states_test or targets.annotations)
  end)

  it("says what Lua lacks if the program is wanted", function()
    local said = output(("cmake -G Ninja -S %s -B %s -DTOCHA_LUA=on -DLUA_INCLUDE= -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 2>&1"):format(
      quote(here), quote(folder .. "/build")))
    assert.truthy(said:find("Lua 5.4's headers and library are not here", 1, true), said)
  end)
end)
