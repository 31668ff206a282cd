-- process_spec.lua: what libtocha does to a process is in one place of the sources, and on the page.
local programs = require "programs"

local function read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

local function output(command)
  local pipe <close> = assert(io.popen(command))
  return pipe:read "a"
end

describe("what the library does to a process", function()
  local page = read "docs/embedding.md":match "\n## What the library does to your process\n(.-)\n## "
  local sources = output "cat $(find runtime -name '*.c')"

  it("is in the table: libraries that it opens", function()
    local seen = 0
    for library in sources:gmatch '"(lib[%a_]+)[%w.-]*%.so' do
      assert.truthy(page:find(library, 1, true), library)
      seen = seen + 1
    end
    assert.is_true(seen > 8)
  end)

  it("is in the table and in the manual: variables of the environment, which one file reads", function()
    local manual, seen = read "install/tocha.1.in", {}
    for name in sources:gmatch 'tocha_environment%(cx, "([%w_]+)"' do seen[#seen + 1] = name end
    for name in sources:gmatch 'tocha_open_library%(cx, "([%w_]+)"' do seen[#seen + 1] = name end
    assert.is_true(#seen >= 8)
    for _, name in ipairs(seen) do
      assert.truthy(page:find(name, 1, true), name)
      assert.truthy(manual:find(name, 1, true), name)
    end
    -- children.c serves the launcher; MPI's plug-in leaves a variable of Open MPI's alone if it is set
    assert.are.equal("runtime/core/process.c\n", output("grep -lr '[^_a-z]getenv *(' runtime --include='*.c' --include='*.h' | " ..
      "grep -v -e '^runtime/platform/posix/children.c$' -e '^runtime/distributed/mpi/process.c$'"))
  end)

  it("is no end, no handler and no output", function()
    local library = programs.folder .. "/libtocha.so"
    local calls = output(("nm -D --undefined-only '%s'"):format(library)):gsub("@[^\n]*", "")
    assert.truthy(calls:find " U malloc\n")
    for _, name in ipairs {"sigaction", "signal", "atexit", "exit", "_exit", "abort", "printf", "puts", "putchar", "perror", "setlocale", "stdout", "stderr"} do
      assert.falsy(calls:find(" U " .. name .. "\n"), name)
    end
  end)
end)
