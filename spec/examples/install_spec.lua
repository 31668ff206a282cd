-- install_spec.lua: `cmake --install` gives a tree that may be moved, and that pkg-config, find_package and stock Lua can use.
local programs = require "programs"
local shell = require "shell"
local run, has = shell.run, shell.has

describe("an installed Tocha", function()
  if not has "cmake" or not has "cc" then return pending("cmake or cc is missing") end
  local prefix = os.tmpname()
  os.remove(prefix)
  local first = prefix .. "-first"

  setup(function()
    run(("cmake --install %s --prefix %s"):format(programs.folder, first))
    run(("mv %s %s"):format(first, prefix))   -- nothing may hold the place it was installed to
  end)
  teardown(function() os.execute("rm -r " .. prefix) end)

  local function below(pattern) return run(("find %s -name '%s' | head -n 1"):format(prefix, pattern)):gsub("\n", "") end

  it("runs", function()
    assert.are.equal("tensor([1., 1.])\n", run(prefix .. "/bin/tocha -e 'print(torch.ones(2))'"))
  end)

  it("is a module for stock Lua", function()
    local path = below "torch.so":gsub("torch%.so$", "?.so")
    assert.are.equal("tensor([1., 1.])\n", run(("LUA_CPATH='%s' lua5.4 -e 'print(require(\"torch\").ones(2))'"):format(path)))
  end)

  it("has its interface as JSON, and the headers' version", function()
    package.path = "runtime/list/?.lua;" .. package.path
    local api = require "json".decode(programs.read(below "tocha_api.json"), "tocha_api.json")
    local header = programs.read(below "version.h")
    assert.are.equal(api.version, header:match '#define TOCHA_VERSION "([%d.]+)"')
    assert.are.equal(api.version, run(prefix .. "/bin/tocha -v"):match "Tocha ([%d.]+)")
    assert.are.equal(("libtocha.so.%s\n"):format(api.version), run(("basename $(find %s -name 'libtocha.so.*.*.*')"):format(prefix)))
  end)

  if not has "pkg-config" then
    pending "pkg-config is missing"
  else
    it("is found by pkg-config", function()
      local config = below "tocha.pc":gsub("/tocha%.pc$", "")
      run(("cc -Wall -Wextra -Werror examples/host.c $(PKG_CONFIG_PATH=%s pkg-config --cflags --libs tocha) -o %s/host"):format(config, prefix))
      local library = below "libtocha.so":gsub("/libtocha%.so$", "")
      assert.matches("mat1 and mat2 shapes cannot be multiplied", run(("LD_LIBRARY_PATH=%s %s/host"):format(library, prefix)))
    end)

    it("is put into a program by pkg-config", function()
      if run(("nm -D '%s/libtocha.so'"):format(programs.folder)):find "__asan_" then return pending "sanitizers are linked to programs of their own" end
      local config = below "tocha.pc":gsub("/tocha%.pc$", "")
      run(("cc -Wall -Wextra -Werror examples/host.c $(PKG_CONFIG_PATH=%s pkg-config --cflags --libs tocha-static) -o %s/static"):format(config, prefix))
      assert.matches("mat1 and mat2 shapes cannot be multiplied", run(prefix .. "/static"))
      assert.is_nil(run("ldd " .. prefix .. "/static"):find "libtocha")
      assert.matches("%-ltocha .*%-lm", run(("PKG_CONFIG_PATH=%s pkg-config --static --libs tocha"):format(config)))
    end)
  end

  it("is found by find_package", function()
    run(([[mkdir %s/project && cp examples/host.c %s/project && cd %s/project && cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(host C)
find_package(tocha 0.2 REQUIRED)
add_executable(host host.c)
target_link_libraries(host PRIVATE tocha::tocha)
add_executable(static EXCLUDE_FROM_ALL host.c)
target_link_libraries(static PRIVATE tocha::static)
END
cmake -S . -B build %s -DCMAKE_PREFIX_PATH=%s && cmake --build build]]):format(
      prefix, prefix, prefix, has "ninja" and "-G Ninja" or "", prefix))
    assert.matches("mat1 and mat2 shapes cannot be multiplied", run(prefix .. "/project/build/host"))
    if run(("nm -D '%s/libtocha.so'"):format(programs.folder)):find "__asan_" then return end
    assert.matches("mat1 and mat2 shapes cannot be multiplied",
      run(("cmake --build %s/project/build --target static >/dev/null && %s/project/build/static"):format(prefix, prefix)))
  end)
end)
