-- platform_spec.lua: runtime/platform/ is the only room that knows the operating system: no other file of the runtime, the
-- binding and the program includes a header, or calls a function, that C11 does not have. What the simulated and the real GPU
-- need of Linux stays in cuda/, which is a plug-in for it.
local objects = require "objects"
local programs = require "programs"

local read, quote, output = programs.read, programs.quote, programs.output
local compiler = os.getenv "CC" or "cc"

local C11 = {"assert", "complex", "ctype", "errno", "float", "inttypes", "limits", "locale", "math", "setjmp", "signal",
  "stdalign", "stdarg", "stdatomic", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "tgmath", "time", "wchar"}

-- Headers that are neither C11's nor a system's: Lua's, a compiler's for its processor, and those of libraries.
local OTHERS = {lua = true, lauxlib = true, lualib = true, immintrin = true, arm_neon = true, wasm_simd128 = true, sleef = true, png = true, jpeglib = true}

local function words(text)
  local out = {}
  for word in text:gmatch "[%a_][%w_]*" do out[word] = true end
  return out
end

local function list(set)
  local out = {}
  for name in pairs(set) do out[#out + 1] = name end
  table.sort(out)
  return out
end

local function files(pattern)
  local pipe, out = io.popen("ls " .. pattern), {}
  for path in pipe:lines() do out[#out + 1] = path end
  pipe:close()
  return out
end

-- Returns the functions that C files define, by nm.
local function defined_by(paths)
  local object, out = os.tmpname(), {}
  for _, path in ipairs(paths) do
    assert.are.equal("", output(("%s -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror -Iruntime -c %s -o %s"):format(
      compiler, path, object)))
    for name in output("nm -g --defined-only -P " .. object):gmatch "([%w_]+) T " do out[name] = true end
  end
  os.remove(object)
  return list(out)
end

describe("the platform", function()
  if not os.execute "command -v nm >/dev/null" and not os.getenv "CI" then   -- in CI every tool is expected
    pending "nm is missing"
    return
  end
  it("alone includes headers of the system", function()
    local allowed, wrong = {}, {}
    for _, name in ipairs(C11) do allowed[name] = true end
    local pipe = io.popen "grep -rnoE '# *include *<[^>]+>' runtime bindings --include=*.c --include=*.h --include=*.def"
    local seen = 0
    for line in pipe:lines() do
      local file, header = line:match "^([^:]+):%d+:# *include *<([^>]+)>"
      local name = header:match "^([%w_]+)%.h$"
      seen = seen + 1
      local is_plug_in = file:find "^runtime/distributed/gloo/" or file:find "^runtime/distributed/mpi/"
      if not file:find "^runtime/platform/" and not is_plug_in and not (name and (allowed[name] or OTHERS[name])) then
        wrong[#wrong + 1] = ("%s includes <%s>"):format(file, header)
      end
    end
    pipe:close()
    assert.is_true(seen > 100)
    assert.are.same({}, wrong)
  end)

  it("alone asks headers for more than C11", function()
    local found = output "grep -rnE '_(POSIX_C|GNU|DEFAULT|XOPEN|BSD|DARWIN_C)_SOURCE' runtime bindings --include='*.[ch]'"
    assert.truthy(found:find("runtime/platform/posix/files.c", 1, true))
    for file in found:gmatch "[^\n]+" do assert.truthy(file:find "^runtime/platform/", file) end
  end)

  it("alone compiles what calls the system: elsewhere such a function is not declared", function()
    local commands, name = read(programs.folder .. "/compile_commands.json"), os.tmpname()
    -- Returns what the compiler says of a function, given the flags of the first file in that folder.
    local function complaint(folder, body)
      programs.write(name, ("#include <stdio.h>\nint f(FILE *file);\nint f(FILE *file) { return %s; }\n"):format(body))
      for command, file in commands:gmatch '"command": "([^\n]+)",%s*"file": "([^\n"]+)"' do
        if file:find(folder .. "/[a-z_]+%.c$") then
          return output(command:gsub("\\(.)", "%1"):gsub(" %-o .*", "") .. " -fsyntax-only -xc " .. name)
        end
      end
      error("no file of " .. folder .. " is compiled")
    end
    for _, folder in ipairs {"/runtime/core", "/runtime/tensor/cpu", "/generated", "/bindings/lua", "/bindings/interpreter"} do
      assert.are.equal("", complaint(folder, "fflush(file)"))
      assert.truthy(complaint(folder, "fileno(file)"):find "error: implicit declaration of function", folder)
    end
    os.remove(name)
  end)

  it("is reached through platform.h, and reaches for no other room", function()
    local found = output [[grep -rnE '#include "platform/' runtime bindings --include='*.[ch]' ]]
    assert.truthy(found:find("bindings/support.c", 1, true))
    for line in found:gmatch "[^\n]+" do
      assert.truthy(line:find '"platform/platform.h"' or line:find "^runtime/platform/[a-z]+%.h:", line)
    end
    assert.are.equal("", output [[grep -rnE '#include "' runtime/platform | grep -v '"platform/']])
  end)

  it("alone calls functions that C11 does not have", function()
    local source = {}
    for _, name in ipairs(C11) do source[#source + 1] = ("#include <%s.h>"):format(name) end
    local name = os.tmpname()
    programs.write(name, table.concat(source, "\n") .. "\n")
    local known = words(output(("%s -std=c11 -E -P -xc %s"):format(compiler, name)))
    os.remove(name)
    assert.is_true(known.aligned_alloc)
    assert.is_nil(known.posix_memalign)
    known.sincos = true   -- a compiler makes it of sin and cos
    local defined, used = objects.symbols(programs.folder, {"runtime_objects", "loops_[%w_]+", "binding", "tocha"})
    local wrong = {}
    for symbol, users in pairs(used) do
      local is_ours = defined[symbol] or symbol:find "^lua" or symbol:find "^platform_"
      local is_other = symbol:find "^__" or symbol:find "^Sleef_" or symbol == "_GLOBAL_OFFSET_TABLE_"
      if not is_ours and not is_other and not known[symbol] then
        wrong[#wrong + 1] = ("%s calls %s"):format(list(users)[1], symbol)
      end
    end
    table.sort(wrong)
    assert.are.same({}, wrong)
  end)

  it("puts no handler of signals into libtocha, and none of its names leaves it", function()
    for _, library in ipairs {"libtocha.so", "torch.so"} do
      local names = words(output(("nm -D -P %s"):format(quote(programs.folder .. "/" .. library))))
      assert.is_true(names.malloc or names.memcpy)
      for _, name in ipairs {"sigaction", "signal", "raise", "pthread_kill", "dup2", "tcsetattr"} do
        if library == "libtocha.so" then assert.is_nil(names[name], name) end
      end
      for name in pairs(names) do assert.is_nil(name:match "^platform_.*", library) end
    end
  end)

  it("has for a web page each function that it has elsewhere", function()
    local replaced = files "runtime/platform/browser/*.c"
    assert.is_true(#replaced > 0)
    for _, path in ipairs(replaced) do
      local original = path:gsub("/browser/", "/posix/")
      assert.are.same(defined_by {original}, defined_by {path}, path)
    end
  end)

  it("defines what its headers declare", function()
    local declared = {}
    for _, path in ipairs(files "runtime/platform/*.h") do
      local text = read(path):gsub("/%*.-%*/", ""):gsub("\nstatic inline[^\n]*", "")
      for name in text:gmatch "\n[%w_ ]+[ *]%**(platform_[%w_]+)%(" do declared[name] = true end
    end
    assert.are.same(defined_by(files "runtime/platform/posix/*.c"), list(declared))
  end)

  it("answers in a web page that there are no libraries, threads, terminals and signals", function()
    local folder = os.tmpname()
    os.remove(folder)
    local program = [[
#include <stdio.h>
#include "platform/platform.h"
static int calls;
static void count(const void *user) { calls += user != NULL; }
static void *run(void *user) { return user; }
int main(void) {
  platform_thread thread;
  static platform_once once;
  int columns, rows;
  void *library = platform_open_library("libm.so.6");
  printf("%d %s\n", library != NULL, platform_library_problem());
  printf("%d %d\n", platform_start_thread(&thread, 0, run, NULL), platform_wait_until(NULL, NULL, INT64_MAX));
  printf("%d %d\n", platform_is_terminal(0), platform_window_size(1, &columns, &rows));
  printf("%d %d\n", platform_processors(), platform_usable_processors());
  platform_suspend();
  platform_call_once(&once, count, &once);
  platform_call_once(&once, count, &once);
  printf("%d\n", calls);
}
]]
    programs.write(folder .. ".c", program)
    local text = output(("%s -std=c11 -Iruntime %s.c runtime/platform/browser/*.c -o %s && %s"):format(compiler, folder,
      folder, folder))
    os.remove(folder)
    os.remove(folder .. ".c")
    assert.are.equal("0 there are no shared libraries here\n0 0\n0 0\n1 1\n1\n", text)
  end)
end)
