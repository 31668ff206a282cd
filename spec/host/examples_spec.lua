-- examples_spec.lua: every folder of examples/host is built against an installed Tocha, by make and by CMake, without a warning, and prints
-- what its page says.
local lfs = require "lfs"
local programs = require "programs"
local shell = require "shell"
local run, has = shell.run, shell.has

-- The commands that an example needs beside a C compiler, make, pkg-config and CMake.
local python = os.getenv "TOCHA_PYTHON" or "python3"
local needs = {
  cpp = "command -v c++", game = "pkg-config lua5.4", luajit = "command -v luajit", plugin = "pkg-config lua5.4",
  python = python .. " -c 'import numpy'", service = "pkg-config lua5.4",
}

-- Programs of others, which a library with sanitizers cannot be loaded into.
local interpreted = {luajit = true, python = true}

-- Examples whose programs are run under valgrind, which is too slow for the others.
local checked = {game = true, inference = true, training = true}

-- Returns the block of a page after the line "It prints:".
local function expected(page)
  return assert(("\n" .. page):match "\nIt prints:\n\n```\n(.-)```\n", "the page has no block after a line `It prints:`")
end

-- Returns true if the printed lines are those of the page, in which a line "..." stands for any lines.
local function agrees(page, printed)
  local pattern = ("\n" .. page):gsub("%p", "%%%0"):gsub("\n%%%.%%%.%%%.%f[\n]", "\0")
  return ("\n" .. printed):find("^" .. pattern:gsub("%z", ".-") .. "$") ~= nil
end

local examples = {}
for name in lfs.dir "examples/host" do
  if lfs.attributes("examples/host/" .. name .. "/Makefile") then examples[#examples + 1] = name end
end
table.sort(examples)

describe("examples/host", function()
  for _, tool in ipairs {"cc", "make", "pkg-config", "cmake"} do
    if not has(tool) then return pending(tool .. " is missing") end
  end
  local folder = os.tmpname()
  os.remove(folder)
  local prefix = folder .. "/prefix"
  local sanitized = run(("nm -D '%s/libtocha.so'"):format(programs.folder)):find "__asan_" ~= nil
  local flags = sanitized and " -fsanitize=address,undefined" or ""
  local valgrind, usable = "valgrind --quiet --error-exitcode=9", false
  local environment = ("cd %s/%%s && PKG_CONFIG_PATH=$(dirname %s/lib*/pkgconfig/tocha.pc) PYTHON=%s CFLAGS='-O1 -g -Werror%s' " ..
    "CXXFLAGS='-O1 -g -Werror%s' "):format(folder, prefix, python, flags, flags)

  setup(function()
    run(("mkdir %s && cmake --install %s --prefix %s"):format(folder, programs.folder, prefix))
    usable = os.execute(("env -u OPENBLAS_CORETYPE %s %s -e '' >/dev/null 2>&1"):format(valgrind, programs.tocha)) == true
  end)
  teardown(function() os.execute("rm -r " .. folder) end)

  -- Copies an example to a folder of its own and returns what the command prints there.
  local function try(name, place, command)
    run(("cp -r examples/host/%s %s/%s"):format(name, folder, place))
    return run(environment:format(place) .. command)
  end

  for _, name in ipairs(examples) do
    local page = programs.read(("examples/host/%s/README.md"):format(name))
    describe(name, function()
      if needs[name] and not os.execute(needs[name] .. " >/dev/null 2>&1") then return pending("this fails: " .. needs[name]) end

      if sanitized and interpreted[name] then return pending "sanitizers are linked to programs of their own" end

      it("is built by make and prints what its page says", function()
        local printed = try(name, name .. "-make", "sh -c 'make >made 2>&1 || { cat made; exit 1; }; make -s run'")
        assert.is_true(agrees(expected(page), printed), printed)
      end)

      if checked[name] and not sanitized then
        it("leaks nothing, and reads nothing that it should not", function()
          if not usable then return pending "valgrind is missing, or the library was built for instructions that it lacks" end
          run(("cd %s/%s-make && for program in $(find . -maxdepth 1 -type f -perm -u+x); do env -u OPENBLAS_CORETYPE OMP_NUM_THREADS=1 " ..
            "%s --leak-check=full --errors-for-leak-kinds=definite,indirect,possible $program || exit 1; done"):format(folder, name, valgrind))
        end)
      end

      if not lfs.attributes(("examples/host/%s/CMakeLists.txt"):format(name)) then return end
      it("is built by CMake and prints what its page says", function()
        local printed = try(name, name .. "-cmake", ("sh -c '{ cmake -G \"Unix Makefiles\" -S . -B build -DCMAKE_PREFIX_PATH=%s " ..
          "-DCMAKE_RULE_MESSAGES=OFF -DCMAKE_TARGET_MESSAGES=OFF && make -C build; } >made 2>&1 || { cat made; exit 1; }; " ..
          "make -s -C build run'"):format(prefix))
        assert.is_true(agrees(expected(page), printed), printed)
      end)
    end)
  end

  it("notices what is printed otherwise", function()
    assert.is_true(agrees("a\n...\nb (1)\n", "a\nx\ny\nb (1)\n"))
    assert.is_true(agrees("...\nb\n", "a\nb\n"))
    assert.is_false(agrees("a\nb\n", "a\nb\nc\n"))
    assert.is_false(agrees("a.b\n", "axb\n"))
  end)
end)
