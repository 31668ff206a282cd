-- cpp_spec.lua: <tocha/tocha.hpp>: a program that tests it, compiled by each compiler and standard, with sanitizers, too; the calls of
-- all of its functions; its cost beside that of the same program in C.
package.path = "runtime/list/?.lua;" .. package.path
local programs = require "programs"
local shell = require "shell"
local run, has = shell.run, shell.has

local warnings = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
local folders = ("-Iruntime/include -I%s/generated/include"):format(programs.folder)

-- Compiles a program with libtocha and returns its path.
local function build(compiler, options, source)
  local program = os.tmpname()
  run(("%s %s %s %s %s -L%s -ltocha -Wl,-rpath,$(realpath %s) -o %s"):format(compiler, options, warnings, folders, source, programs.folder,
    programs.folder, program))
  return program
end

local function is_sanitized() return run(("nm -D %s/libtocha.so"):format(programs.folder)):find "__asan_" end

describe("tocha.hpp", function()
  for _, compiler in ipairs {"g++", "clang++"} do
    for _, standard in ipairs {"c++17", "c++20"} do
      it(("works with %s as %s"):format(compiler, standard), function()
        if not has(compiler) then return pending(compiler .. " is missing") end
        if is_sanitized() then return pending "sanitizers are linked to programs of their own" end
        local program = build(compiler, "-std=" .. standard, "spec/host/cpp_test.cpp")
        local printed = run(program .. " /tmp")
        os.remove(program)
        assert.matches("^%d+ passed, 0 failed\n$", printed)
      end)
    end
  end

  it("is clean as C++23", function()
    if not has "g++" then return pending "g++ is missing" end
    run(("g++ -std=c++2b -fsyntax-only %s %s spec/host/cpp_test.cpp"):format(warnings, folders))
  end)

  it("touches no memory that it should not, and leaves none", function()
    if not has "g++" then return pending "g++ is missing" end
    local program = build("g++", "-g -std=c++17 -fsanitize=address,undefined -fno-sanitize-recover=all", "spec/host/cpp_test.cpp")
    local printed = run(program .. " /tmp")
    os.remove(program)
    assert.matches("^%d+ passed, 0 failed\n$", printed)
  end)
end)

describe("the program in C++ of docs/embedding.md", function()
  it("runs", function()
    if not has "g++" then return pending "g++ is missing" end
    if is_sanitized() then return pending "sanitizers are linked to programs of their own" end
    local folder = os.tmpname()
    os.remove(folder)
    run("mkdir " .. folder)
    programs.write(folder .. "/program.cpp", programs.read "docs/embedding.md":match "```cpp\n(.-)```")
    local printed = run(("cd %s && %s"):format(folder, build("g++", "-std=c++17", folder .. "/program.cpp")))
    run("rm -r " .. folder)
    assert.matches("^Net%(\n  %(hidden%): Linear.*\n%)\ntensor%(%[", printed)
  end)
end)

-- Returns a program that calls each function with every number of arguments that it takes; it is compiled, not run.
local function calls()
  local list, write_cpp = require "read".load "runtime", require "write_cpp"
  local out = {"#include <tocha/tocha.hpp>\nusing namespace tocha;\ntemplate <class Type> Type of();\n"}
  local count = 0
  local parts = {{"torch", "tocha::"}, {"nn.functional", "functional::"}, {"linalg", "linalg::"}, {"special", "special::"},
    {"method", "of<Tensor>()."}}
  for _, part in ipairs(parts) do
    for _, f in ipairs(write_cpp.functions_of(list, part[1])) do
      local arguments, least = {}, 0
      for i, p in ipairs(f.parameters) do
        arguments[i] = ("of<%s>()"):format(p.type)
        if not p.default then least = i end
      end
      for n = least, #arguments do
        count = count + 1
        out[#out + 1] = ("static_assert(std::is_same_v<decltype(%s%s(%s)), %s>);\n"):format(part[2], f.name, table.concat(arguments, ", ", 1, n), f.returns)
      end
    end
  end
  return table.concat(out), count
end

describe("the functions of tocha.hpp", function()
  it("can be called with all numbers of arguments", function()
    if not has "g++" then return pending "g++ is missing" end
    local text, count = calls()
    assert.is_true(count > 2000)
    local source = os.tmpname()
    programs.write(source, text)
    run(("g++ -x c++ -std=c++17 -fsyntax-only %s %s"):format(folders, source))
    os.remove(source)
  end)

  it("have every function of the lists that C programs may call", function()
    local list, types, write_cpp = require "read".load "runtime", require "c_types", require "write_cpp"
    local called = {}
    for _, namespace in ipairs {"torch", "nn.functional", "linalg", "special", "method"} do
      for _, f in ipairs(write_cpp.functions_of(list, namespace)) do
        for name in f.body:gmatch "tocha_[%w_]+" do called[name] = true end
      end
    end
    local missing = {}
    for _, op in ipairs(list) do
      local _, full = types.function_names(op)
      if not types.is_private(op) and not called[full] then missing[#missing + 1] = op.name end
    end
    table.sort(missing)
    -- methods whose names are types in C++; x.to(tocha::float32) does the same
    assert.are.same({"bool.method", "char.method", "double.method", "float.method", "int.method", "long.method", "short.method"}, missing)
  end)
end)

-- Valgrind knows no AVX-512, so a library for this processor alone may not run in it, and OpenBLAS must take other kernels.
local valgrind = "env -u OPENBLAS_CORETYPE valgrind --tool="

local function runs_in_valgrind(program)
  return os.execute(("%snone %s c add 1 >/dev/null 2>&1"):format(valgrind, program)) == true
end

-- Returns the instructions of one pass of a loop of cpp_cost.cpp.
local function instructions(program, language, loop)
  local function all(passes)
    local printed = run(("%scallgrind --callgrind-out-file=/dev/null %s %s %s %d"):format(valgrind, program, language, loop, passes))
    return tonumber((printed:match "Collected : (%d+)"))
  end
  return (all(1100) - all(100)) / 1000
end

describe("the cost of tocha.hpp", function()
  if not has "g++" or not has "valgrind" then return pending "g++ or valgrind is missing" end
  local program
  setup(function() if not is_sanitized() then program = build("g++", "-O2 -std=c++17", "spec/host/cpp_cost.cpp") end end)
  teardown(function() if program then os.remove(program) end end)

  for _, loop in ipairs {"add", "recorded", "forward", "train"} do
    it("is that of C: " .. loop, function()
      if not program then return pending "sanitizers are linked to programs of their own" end
      if not runs_in_valgrind(program) then return pending "the library has loops for this processor only (TOCHA_LOOPS=native)" end
      local c, cpp = instructions(program, "c", loop), instructions(program, "cpp", loop)
      assert.is_true(cpp < 1.03 * c, ("%s: %.0f instructions in C, %.0f in C++"):format(loop, c, cpp))
    end)
  end
end)
