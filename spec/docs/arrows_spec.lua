-- arrows_spec.lua: includes and calls may only point down. The order of the rooms stands in docs/architecture.md. An include
-- of a room of the runtime is its own or of a room below, the bindings and the programs include public headers only, the CUDA
-- backend sees plain data of the runtime. A call, as nm reads it off the objects of the build, goes to its own room or to one
-- below.
local objects = require "objects"
local programs = require "programs"

local read = programs.read

-- Returns the rooms of a folder by their height, 1 being the ground, as the folder's line in docs/architecture.md lists them.
-- A file that lies in the folder itself is a room of its own.
local function heights(folder)
  local line = read "docs/architecture.md":match("\n%- `" .. folder .. "`: ([^\n]+)")
  local height, count = {}, 0
  for room in line:gmatch "%S+" do
    count = count + 1
    height[room] = count
  end
  return height
end

local height, families, bindings = heights "runtime/", heights "runtime/ops/", heights "bindings/"

-- What is not there yet: files that still include what they should not.
local known = {}

local function includes(folder)
  local command = ([[grep -rnoE '#include "[^"]+"' %s --include=*.c --include=*.h --include=*.cu --include=*.cpp]]):format(folder)
  local pipe, out = io.popen(command), {}
  for line in pipe:lines() do
    local file, path = line:match '^([^:]+):%d+:#include "([^"]+)"'
    out[#out + 1] = {file = file, path = path}
  end
  pipe:close()
  return out
end

local function check(folder, allowed)
  local wrong = {}
  for _, include in ipairs(includes(folder)) do
    if not allowed(include.file, include.path) and not known[include.file] then
      wrong[#wrong + 1] = include.file .. " includes " .. include.path
    end
  end
  if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
end

-- Headers that the build writes: of a family (FAMILY/implementations.h), of formulas, modules, optimizers, functions.
local function generated(path)
  return path:find "^[%w_]+/implementations%.h$" ~= nil or path:find "^pointwise/formulas/" ~= nil or not path:find "/"
end

describe("includes", function()
  it("of the runtime point down", function()
    check("runtime", function(file, path)
      local room, to = file:match "^runtime/([%w_]+)/", path:match "^([%w_]+)/"
      if not room or to == "tocha" or room == "include" then return true end
      if not height[to] then return generated(path) end
      return height[to] <= height[room]
    end)
  end)

  it("between the families of operators point down", function()
    check("runtime/ops", function(file, path)
      local family, to = file:match "^runtime/ops/([%w_]+)/", path:match "^ops/([%w_]+)/" or path:match "^([%w_]+)/implementations%.h$"
      if not family or not to or family == to then return true end
      return families[to] <= families[family] and not path:find "implementations"
    end)
  end)

  it("of a family's loops know no operator", function()
    check("runtime/ops/*/cpu", function(_, path) return not (path:find "^tocha/ops/" or path:find "implementations%.h$") end)
  end)

  it("of the binding and the programs are public headers, or their own", function()
    local own = {["function_table.h"] = true,   -- written from bindings/functions.lua
      ["platform/platform.h"] = true}           -- the system, which the binding and the program need, too
    local pipe = io.popen "find bindings -name '*.h' -o -name '*.def'"
    for file in pipe:lines() do own[file:match "^bindings/(.*)"] = true end
    pipe:close()
    check("bindings", function(_, path) return path:find "^tocha/" ~= nil or own[path] end)
    check("examples", function(file, path)
      local beside = io.open(file:match "^(.*/)" .. path)
      if beside then beside:close() end
      return beside or path:find "^tocha/" ~= nil
    end)
  end)

  it("within the bindings point down", function()
    check("bindings", function(file, path)
      local room, to = file:match "^bindings/([^/]+)", path:match "^([%w_]+)/"
      return not bindings[to] or bindings[to] <= bindings[room]
    end)
  end)

  it("of the CUDA backend see no tensor and no context", function()
    check("cuda", function(_, path) return not (path:find "^core/" or path:find "^dispatch/" or path:find "^autograd/" or
      path == "tocha/context.h" or path == "tocha/tensor.h") end)
  end)

  it("of an operator are used", function()
    local functions = {}   -- by header: what it declares and defines
    local function declared(path)
      if not functions[path] then
        local names, f = {}, assert(io.open("build/generated/include/" .. path))
        local text = f:read "a"
        f:close()
        for line in text:gmatch "[^\n]+" do
          local name = line:find "^TOCHA_API" and line:match "(tocha_[%w_]+)%("
          if name then names[name] = true end
        end
        functions[path] = names
      end
      return functions[path]
    end
    local texts = {}   -- by file: the words in it
    local function uses(file, names)
      if not texts[file] then
        local words, f = {}, assert(io.open(file))
        for word in f:read("a"):gsub("#include[^\n]*", ""):gmatch "%f[%w_]tocha_[%w_]+" do words[word] = true end
        f:close()
        texts[file] = words
      end
      for word in pairs(texts[file]) do if names[word] then return true end end
      return false
    end
    for _, folder in ipairs {"runtime", "bindings", "examples", "spec/c"} do
      check(folder, function(file, path) return not path:find "^tocha/ops/" or uses(file, declared(path)) end)
    end
  end)
end)

describe("calls", function()
  if not os.execute "command -v nm >/dev/null" and not os.getenv "CI" then   -- in CI every tool is expected
    pending "nm is missing"
    return
  end
  local defined, used = objects.symbols(programs.folder, {"platform", "runtime_objects", "loops_[%w_]+", "binding", "tocha"})

  -- Calls `see` with each function or variable that one file has and another uses, the user first.
  local function each(see)
    for name, file in pairs(defined) do
      for user in pairs(used[name] or {}) do
        if user ~= file then see(user, name, file) end
      end
    end
  end

  local function room_of_bindings(file)
    return file:match "^bindings/([^/]+)" or file:match "^generated/bindings/([^/]+)" or file:match "^generated/(lua_sources%.c)$"
  end

  local function family_of(file)
    local name = file:match "^runtime/ops/([^/]+)/" or file:match "^generated/([^/]+)/"
    return families[name] and name
  end

  local function room_of_runtime(file)
    if room_of_bindings(file) then return nil end
    return family_of(file) and "ops" or file:match "^runtime/([^/]+)" or file:match "^generated/([^/]+)"
  end

  -- The entries of operators (tocha_add), which the build writes: all rooms from dispatch/ up speak in them, and each is a
  -- single call of tocha_call.
  local function is_entry(name, file)
    return file:find "^generated/[^/]+/operators%.c$" and not name:find "_operators$"
  end

  -- Fails if a room uses what a room above it has. room_of(file) is nil for files of no interest.
  local function point_down(rooms, room_of, is_allowed)
    local wrong = {}
    each(function(user, name, file)
      local from, to = room_of(user), room_of(file)
      if not from or not to or is_allowed and is_allowed(from, name, file) then return end
      local low = rooms[from] or error(("docs/architecture.md does not say where %s is (%s)"):format(from, user))
      local high = rooms[to] or error(("docs/architecture.md does not say where %s is (%s)"):format(to, file))
      if high > low then wrong[#wrong + 1] = ("%s uses %s of %s"):format(user, name, file) end
    end)
    table.sort(wrong)
    if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
  end

  it("within the runtime point down", function()
    point_down(height, room_of_runtime, function(from, name, file)
      return is_entry(name, file) and height[from] >= height.dispatch
    end)
  end)

  it("between the families of operators point down", function()
    point_down(families, family_of, function(_, name, file) return is_entry(name, file) end)
  end)

  it("of LAPACK are made by the CPU's kernels of linear algebra", function()
    for user in pairs(assert(used.tocha_find_lapack)) do assert.truthy(user:find "^runtime/ops/linalg/cpu/", user) end
  end)

  it("that handle signals or end the process are the programs'", function()
    local own = {["handlers.c"] = true, ["children.c"] = true, ["guard.c"] = true}   -- the last two do so in a new process alone
    for _, name in ipairs {"sigaction", "signal", "atexit", "exit", "_exit", "_Exit", "quick_exit", "abort", "raise", "pthread_kill",
      "platform_on_interrupt", "platform_watch_window", "platform_suspend", "platform_interrupt_thread", "platform_interrupt_group",
      "platform_receive_signals", "platform_start_guard", "platform_kill_children"} do
      for user in pairs(used[name] or {}) do
        local room = not own[user:match "^runtime/platform/posix/(.*)$"] and room_of_runtime(user)
        assert.falsy(room, user .. " uses " .. name)
      end
    end
    assert.truthy(used.sigaction["runtime/platform/posix/handlers.c"])
    assert.truthy(used.platform_on_interrupt["bindings/interpreter/calls.c"])
  end)

  it("within the bindings point down", function() point_down(bindings, room_of_bindings) end)

  -- Only in a room do files of the bindings use each other: the files of modules most, ten of them.
  it("of the bindings' files form small circles", function()
    local graph = {}
    each(function(user, _, file)
      if not room_of_bindings(user) or not room_of_bindings(file) then return end
      graph[user] = graph[user] or {}
      graph[user][file] = true
    end)
    for _, circle in ipairs(objects.circles(graph)) do
      if #circle > 10 then error(table.concat(circle, "\n"), 0) end
    end
  end)

  it("of what a file does not share stay in it", function()
    -- a sanitized build, whose blocks are exact, uses less
    if read(programs.folder .. "/CMakeCache.txt"):find "TOCHA_SANITIZE:%u+=ON" then return end
    local named, wrong = {luaopen_torch = true, main = true}, {}   -- what other programs, the tests in C, or a build for browsers may use
    local pipe = io.popen("find runtime/include bindings/include bindings/torch.h bindings/interpreter/web spec/c cuda " ..
      "runtime/distributed/gloo runtime/distributed/mpi " ..
      "-name '*.[ch]' -o -name '*.cpp' -o -name '*.cu'")
    for path in pipe:lines() do
      for word in read(path):gmatch "[%w_]+" do named[word] = true end
    end
    pipe:close()
    for name, file in pairs(defined) do
      if not used[name] and not named[name] and not name:find "^luaopen_" and not file:find "^generated/" then
        wrong[#wrong + 1] = ("%s of %s is not static, and no other file uses it"):format(name, file)
      end
    end
    if #wrong > 0 then error(table.concat(wrong, "\n"), 0) end
  end)
end)
