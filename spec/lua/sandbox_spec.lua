-- sandbox_spec.lua: `tocha --sandbox`: every way out that we know, and what still works inside. The same from C, and a fuzzer:
-- spec/c/lua_sandbox_test.c.
local programs = require "programs"

local quote, read, write = programs.quote, programs.read, programs.write
local CANARY = "canary of another user"

-- A folder for scripts (inside), with a file of somebody else beside it, and links to that.
local root, inside
local function make_folders()
  root = os.tmpname()
  os.remove(root)
  inside = root .. "/inside"
  assert(os.execute(("mkdir -p %s/folder && mkfifo %s/pipe && ln -s ../outside %s/link && ln -s .. %s/up && ln -s folder %s/within"):format(
    quote(inside), quote(inside), quote(inside), quote(inside), quote(inside))))
  write(root .. "/outside", CANARY)
  write(inside .. "/f", "a file\n")
  write(inside .. "/module.lua", "return {answer = 42}")
  write(inside .. "/bytecode.lua", string.dump(function() return 1 end))
end

-- Runs a script in a sandbox. Returns what it printed, errors included, and the seconds that it took.
local function run(text, options)
  local script = root .. "/script.lua"
  write(script, text)
  local begun = torch and torch._clock() or os.time()
  local output = programs.output(("timeout 60 %s --sandbox --time 0.5 --memory 64M %s %s"):format(quote(programs.tocha), options or "", quote(script)))
  return output, (torch and torch._clock() or os.time()) - begun
end

local function folder(more) return ("--folder %s %s"):format(quote(inside), more or "") end

local FOREVER = "while true do end"
local TIME, MEMORY = "sandbox: limit on time reached (0.5 s)", "sandbox: limit on memory reached (67108864 bytes)"

-- Scripts that a limit ends: name, script, what the error says, options.
local ended = {
  {"a loop", FOREVER, TIME},
  {"a loop of pcall", "while true do pcall(function() " .. FOREVER .. " end) end", TIME},
  {"pcall of pcall", "local function f() pcall(f) " .. FOREVER .. " end while true do pcall(f) end", TIME},
  {"a handler of xpcall", "xpcall(function() " .. FOREVER .. " end, function() " .. FOREVER .. " end) print 'ESCAPED'", TIME},
  {"an error within xpcall's handler", "while true do xpcall(error, function() error 'x' end) end", TIME},
  {"a coroutine", "local c = coroutine.wrap(function() " .. FOREVER .. " end) while true do pcall(c) end", TIME},
  {"coroutines in turn", [[local list = {} for i = 1, 10 do list[i] = coroutine.create(function() while true do coroutine.yield() end end) end
    while true do for _, c in ipairs(list) do coroutine.resume(c) end end]], TIME},
  {"coroutine.close", [[local c = coroutine.create(function() local x <close> = setmetatable({}, {__close = function() while true do end end})
    coroutine.yield() end) coroutine.resume(c) coroutine.close(c) print 'ESCAPED']], TIME},
  {"coroutine.wrap that fails", [[local c = coroutine.wrap(function() local x <close> = setmetatable({}, {__close = function() while true do end end})
    error 'x' end) pcall(c) print 'ESCAPED']], TIME},
  {"__close", "local x <close> = setmetatable({}, {__close = function() while true do end end}) while true do end", TIME},
  {"__gc", "setmetatable({}, {__gc = function() while true do end end}) collectgarbage() while true do end", TIME},
  {"__tostring of an error", "error(setmetatable({}, {__tostring = function() while true do end end}))", TIME},
  {"__index", "local t = setmetatable({}, {__index = function() while true do end end}) print(torch.tensor(t.x))", TIME},
  {"a pattern", "print(('a'):rep(100000):find(('a*'):rep(30) .. 'b'))", TIME},
  {"a pattern in gsub", "print(('a'):rep(100000):gsub(('a?'):rep(50) .. ('a*'):rep(30) .. 'b', ''))", TIME},
  {"a pattern in gmatch", "for x in ('a'):rep(100000):gmatch(('a-'):rep(30) .. 'b') do print(x) end", TIME},
  {"a plain text that is searched", "('a'):rep(10000000):find(('a'):rep(5000000) .. 'b', 1, true)", TIME},
  {"table.concat of an endless list", "table.concat(setmetatable({}, {__len = function() return 1 << 60 end, __index = function() return '' end}))", TIME},
  {"table.move", "table.move({}, 1, 1 << 60, 2)", TIME},
  {"table.insert", "table.insert(setmetatable({}, {__len = function() return 1 << 60 end}), 1, 2)", TIME},
  {"table.remove", "table.remove(setmetatable({}, {__len = function() return 1 << 60 end}), 1)", TIME},
  {"table.sort of long texts", [[local a, b, t = ('x'):rep(10000000), ('x'):rep(10000000) .. 'y', {} for i = 1, 1000 do t[i] = i % 2 == 0 and a or b end
    table.sort(t)]], TIME},
  {"table.sort by a bad comparison", "local t = {} for i = 1, 1000 do t[i] = i end while true do pcall(table.sort, t, function() return true end) end", TIME},
  {"gsub by a function", "(('x'):rep(1000000)):gsub('.', function() while true do end end)", TIME},
  {"load by a function", "load(function() return ' ' end)", "sandbox: limit on"},
  {"products of matrices", "local a = torch.rand(1000, 1000) while true do pcall(torch.mm, a, a) end", TIME},
  {"a backward hook", "local x = torch.ones(1, {requires_grad = true}) x:register_hook(function() while true do end end) x:sum():backward()", TIME},
  {"a module's hook", "local m = torch.nn.ReLU() m:register_forward_hook(function() while true do end end) m(torch.ones(1))", TIME},
  {"a loader's data set", "for _ in torch.utils.data.DataLoader({__len = 1, 1}, {collate_fn = function() while true do end end}) do end", TIME},
  {"memory in small pieces", "local t = {} while true do t[#t + 1] = {} end", "sandbox: limit on", "--time 20"},
  {"memory in large pieces", "local t = {} while true do t[#t + 1] = ('x'):rep(1000000) .. #t end", MEMORY, "--time 20"},
  {"memory under pcall", "local t = {} while true do pcall(function() while true do t[#t + 1] = ('x'):rep(1000000) .. #t end end) end", MEMORY, "--time 20"},
  {"memory of tensors", "local t = {} while true do t[#t + 1] = torch.ones(1000000) end", MEMORY, "--time 20"},
  {"memory of tensors under pcall",
    "local t = {} while true do pcall(function() while true do t[#t + 1] = torch.ones(1000000) end end) end", MEMORY, "--time 20"},
  {"one large tensor", "pcall(torch.ones, 1 << 40) print 'ESCAPED'", MEMORY, "--time 20"},
  {"one long text", "pcall(string.rep, 'x', 1 << 30) print 'ESCAPED'", MEMORY, "--time 20"},
  {"one large resize", "local t = torch.ones(1) pcall(t.resize_, t, 1 << 40) print 'ESCAPED'", MEMORY, "--time 20"},
  {"output", "while true do print(('x'):rep(1000)) end", "sandbox: limit on output reached (65536 bytes)", "--output 64K"},
  {"output under pcall", "while true do pcall(io.write, 'x') end", "limit on output", "--output 64K"},
  {"output by a file's method", "while true do io.stdout:write 'xxxxxxx' end", "limit on output", "--output 64K"},
  {"the standard error", "while true do pcall(io.stderr.write, io.stderr, 'xxxxxxx') end", "limit on output", "--output 64K"},
  {"warnings", "while true do warn 'xxxxxxx' end", "limit on output", "--output 64K"},
  {"instructions", FOREVER, "sandbox: limit on instructions reached (1000000)", "--instructions 1000000"},
  {"instructions of coroutines", "while true do coroutine.wrap(function() for _ = 1, 50 do end end)() end", "limit on instructions", "--instructions 1000000"},
  {"instructions of a pattern", "('a'):rep(100000):find(('a*'):rep(30) .. 'b')", "limit on instructions", "--instructions 1000000"},
  {"processor time", FOREVER, "sandbox: limit on processor time reached (0.2 s)", "--time 20 --processor-time 0.2"},
  {"open files", "local t = {} for i = 1, 100 do t[i] = io.open 'f' end print 'ESCAPED'", "sandbox: limit on open files reached (64)", folder},
  {"the size of a file", "local f = io.open('g', 'w') while true do f:write(('x'):rep(1000)) end",
    "sandbox: limit on the size of a file reached (102400 bytes)",
    function() return folder "--file-size 100K" end},
  {"a hole in a file", "local f = io.open('h', 'w') f:seek('set', 1 << 40) f:write 'x' f:close() print 'ESCAPED'", "limit on the size of a file",
    function() return folder "--file-size 100K" end},
  {"a checkpoint's size", "pcall(torch.save, torch.zeros(1000000), 'big.pt') print 'ESCAPED'", "limit on the size of a file",
    function() return folder "--file-size 100K" end},
}

-- Scripts that are refused what they ask for: name, script that prints its results, what it prints, options.
local refused = {
  {"a file", "print(io.open 'f')", "Permission denied"},
  {"torch.load", "print(pcall(torch.load, '/etc/passwd'))", "Permission denied: '/etc/passwd'"},
  {"torch.save", "print(pcall(torch.save, {}, '/tmp/x'))", "Permission denied: '/tmp/x'"},
  {"the root", "print(io.open '/etc/passwd')", "Permission denied", folder},
  {"..", "print(io.open '../outside', io.open 'folder/../../outside')", "nil\tnil\tfolder/../../outside: Permission denied", folder},
  {"a link out", "print(io.open 'link')", "Permission denied", folder},
  {"a link to the folder above", "print(io.open 'up/outside')", "Permission denied", folder},
  {"torch.load by a link", "print(pcall(torch.load, 'link'))", "Permission denied: 'link'", folder},
  {"torch.save to a link", "print(pcall(torch.save, {}, 'up/outside'))", "Permission denied", folder},
  {"a pipe", "print(io.open('pipe', 'r'))", "Permission denied", folder},
  {"writing where only reading is allowed", "print(io.open('new', 'w'), pcall(torch.save, {}, 'new'))", "Permission denied: 'new'",
    function() return folder "--read-only" end},
  {"mapping", "print(pcall(torch.from_file, 'f', {size = 1}))", "a sandbox maps no files", folder},
  {"mapping a shared file", "print(pcall(torch.from_file, 'new', {shared = true, size = 1}))", "a sandbox maps no files", folder},
  {"bytecode", "print(load '\\27Lua')", "attempt to load a binary chunk"},
  {"bytecode by its mode", "print(load('return 1', 'x', 'b'))", "a sandbox loads no bytecode"},
  {"bytecode of a module", "print(pcall(require, 'bytecode'))", "attempt to load a binary chunk", folder},
  {"string.dump", "print(string.dump, dofile, loadfile)", "nil\tnil\tnil"},
  {"os and package", "print(os.execute, os.exit, os.remove, os.rename, os.tmpname, package, os.getenv 'HOME')", "nil\tnil\tnil\tnil\tnil\tnil\tnil"},
  {"debug", "local n = 0 for k in pairs(debug) do n = n + 1 end print(n, debug.sethook, debug.getregistry)", "1\tnil\tnil"},
  {"io", "print(io.popen, io.tmpfile, io.input, io.output, io.stdin, io.read)", "nil\tnil\tnil\tnil\tnil\tnil"},
  {"C modules", "print(pcall(require, 'socket'))", "module 'socket' not found"},
  {"os by require", "print(require 'os' == os, pcall(require, 'package'))", "true\tfalse"},
  {"an address by tostring", "print(tostring(print):match '^function: 0x0000000%d$', tostring({}):match '^table: 0x0000000%d$')",
    "function: 0x00000001\ttable: 0x00000002"},
  {"an address by format", "print(('%s'):format(print):match '^function: 0x0000000%d$', pcall(string.format, '%p', {}))", "a sandbox shows no addresses"},
  {"an address of a file", "print(io.stdout)", "file (open)"},
  {"an address of an object", "print(torch.Generator())", "object at (nil)"},
  {"data_ptr", "print(pcall(torch.Tensor.data_ptr, torch.ones(1)))", "a sandbox shows no addresses"},
  {"an address by a seed", "print(math.randomseed())", "\n"},
  {"the metatable of texts", "print(getmetatable '', getmetatable(io.stdout), pcall(setmetatable, '', {}))", "string\tFILE*\tfalse"},
  {"memory of others", "print(torch.empty(1000000):abs():sum():item(), torch.empty(3):resize_(1000000):abs():sum():item())", "0.0\t0.0"},
  {"threads", "torch.set_num_threads(16) print(torch.get_num_threads())", "1"},
  {"a GPU", "print(torch.cuda.is_available(), pcall(torch.ones, 1, {device = 'cuda'}))", "false\tfalse"},
  {"the process", "print(torch._process())", "localhost\t1\t."},
  {"downloads", "print(pcall(torch.vision.datasets.MNIST, 'data', {download = true}))", "a sandbox downloads nothing", folder},
  {"a hostile checkpoint",
    "local f = io.open('bad.pt', 'w') f:write '\\128\\2cos\\nsystem\\nU\\4echo\\133R.' f:close() print(pcall(torch.load, 'bad.pt'))", "false", folder},
  {"unpacking", "print(pcall(table.unpack, {}, 1, 100000000))", "too many results to unpack"},
  {"deep recursion of C", "local function f() return pcall(f) end print(f())", "true"},
  {"a text of parentheses", "print(load('return ' .. ('('):rep(1000000)))", "C stack overflow"},
  {"repeating nothing", "print(#(''):rep(1 << 60))", "0"},
  {"a wide format", "print(pcall(string.format, '%99999d', 1))", "invalid conversion"},
  {"counting lines", "print(pcall(torch.profiler.profile, print)) print(pcall(torch.profiler.profile, {with_stack = false}, print))",
    "a sandbox counts no lines"},
  {"stopping the collector", "collectgarbage 'stop' print(collectgarbage 'isrunning')", "true"},
}

-- Programs whose output is the same inside and outside.
local usual = {
  [[torch.manual_seed(0) local net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    local optimizer = torch.optim.Adam(net:parameters(), {lr = 0.01})
    for _ = 1, 20 do optimizer:zero_grad() local loss = net(torch.randn(16, 4)):pow(2):mean() loss:backward() optimizer:step() end
    print(net[2].weight)]],
  [[print(torch.linalg.svdvals(torch.tensor{{1., 2}, {3, 4}}), torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(3, 2)))]],
  [[local t = {5, 3, 9, 1} table.sort(t) print(table.concat(t, ","), table.unpack(t)) table.sort(t, function(a, b) return a > b end)
    table.insert(t, 2, 7) print(table.remove(t), table.remove(t, 1), table.concat(table.move(t, 1, 2, 2), " "))]],
  [[local c = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) error(b) end) print(c(1), pcall(c, "x"))
    print(coroutine.resume(coroutine.create(function(...) return select("#", ...) end), 1, nil, 3), coroutine.isyieldable())
    print(select(2, pcall(coroutine.wrap(function() error {} end))) ~= nil, coroutine.close(coroutine.create(print)))]],
  [[print(pcall(error, "x"), pcall(error), xpcall(error, function(m) return m .. "!" end, "y"), xpcall(function(...) return ... end, print, 1, 2))
    print(pcall(setmetatable, setmetatable({}, {__metatable = 1}), {}), getmetatable(setmetatable({}, {__index = string})).__index == string)]],
  [[print(load("return ...", "=x")(1, 2), load("x = ", "=y"), load("return a", "=z", "t", {a = 5})(), load(function() return nil end) ~= nil)]],
  [[local images, labels = torch._digits() print(images.shape, labels:sum())]],
}

-- Calls of string functions whose results are compared with Lua's own.
local MATCHING = [==[
math.randomseed(%d)
local pieces = {"a", "b", ".", "%%a", "%%d", "%%s", "%%w", "%%W", "%%x", "%%p", "[ab]", "[^a]", "[a-c]", "[%%d_]", "[]]", "[^]x]", "[a-]", "()", "(",
    ")", "%%1", "%%2",
  "%%bab", "%%b()", "%%f[%%w]", "%%f[^a]", "^", "$", "x", " ", "%%%%", "%%.", "-", "[", "]", "%%", "[%%", "[a", "%%f", "%%b"}
local signs, letters = {"", "", "", "*", "+", "-", "?"}, {"a", "b", "c", "x", " ", "1", "_", "(", ")", "]", "%%", ".", "\0"}
local function text(list, n) local t = {} for i = 1, n do t[i] = list[math.random(#list)] end return table.concat(t) end
local function pattern()
  local t = {math.random() < 0.2 and "^" or ""}
  for _ = 1, math.random(0, 5) do t[#t + 1] = pieces[math.random(#pieces)] .. signs[math.random(#signs)] end
  return table.concat(t)
end
local function show(...) local t = table.pack(...) for i = 1, t.n do t[i] = tostring(t[i]):gsub("^.-:%%d+: ", "") end return table.concat(t, "|", 1, t.n) end
for i = 1, 3000 do
  local s, p = text(letters, math.random(0, 12)), pattern()
  local init = math.random() < 0.3 and math.random(-15, 15) or nil
  print(i, show(pcall(string.find, s, p, init)), show(pcall(string.match, s, p, init)), show(pcall(string.find, s, p, init, true)))
  print(show(pcall(string.gsub, s, p, ({"<%%0>", "%%1", "%%2", "%%%%", "%%x", "", 7})[math.random(7)], math.random() < 0.3 and math.random(0, 3) or nil)))
  print(show(pcall(string.gsub, s, p, math.random() < 0.5 and {a = "A", [1] = "one", b = false}
    or function(...) return select("#", ...) == 1 and ... or nil end)))
  print(show(pcall(function() local t = {} for a, b in s:gmatch(p, init) do t[#t + 1] = show(a, b) end return table.concat(t, ";") end)))
end
]==]

describe("a sandbox", function()
  setup(make_folders)
  teardown(function() os.execute("rm -rf " .. quote(root)) end)

  local function options_of(case) return type(case[4]) == "function" and case[4]() or case[4] end

  for _, case in ipairs(ended) do
    it("ends " .. case[1], function()
      local output, seconds = run(case[2], options_of(case))
      assert.truthy(output:find(case[3], 1, true), output:sub(-500))
      assert.falsy(output:find("ESCAPED", 1, true))
      assert.truthy(seconds < 30, ("it took %.1f s"):format(seconds))
    end)
  end

  for _, case in ipairs(refused) do
    it("refuses " .. case[1], function()
      local output = run(case[2], options_of(case))
      assert.truthy(output:find(case[3], 1, true), output:sub(-500))
      assert.falsy(output:find(CANARY, 1, true))
      assert.falsy(output:find("limit on", 1, true), output:sub(-500))
      assert.are.equal(CANARY, read(root .. "/outside"))
    end)
  end

  for i, text in ipairs(usual) do
    it("runs usual program " .. i .. " as outside", function()
      local inside_output = run(text, "--time 60")
      assert.are.equal(programs.output(("%s %s"):format(quote(programs.tocha), quote(root .. "/script.lua"))), inside_output)
    end)
  end

  it("matches patterns as Lua does", function()
    for seed = 1, 5 do
      local output = run(MATCHING:format(seed), "--time 60")
      assert.are.equal(programs.output(("%s %s"):format(quote(programs.tocha), quote(root .. "/script.lua"))), output)
    end
  end)

  it("uses the files of its folder", function()
    local output = run([[
      print(require "module".answer, io.open "f":read "l", io.open "within", io.lines "f"())
      local f <close> = assert(io.open("new", "w+")) f:write("one\n", 2) f:seek "set" print(f:read "a")
      torch.save({x = torch.arange(3)}, "folder/c.pt") print(torch.load("folder/c.pt").x, io.type(f))
      torch.nn.Linear(2, 2):state_dict() print(pcall(torch.load, "none.pt"))]], folder())
    assert.truthy(output:find "^42\ta file\tnil", output)
    assert.truthy(output:find("one\n2\ntensor([0, 1, 2])\tfile", 1, true), output)
    assert.truthy(output:find("No such file or directory: 'none.pt'", 1, true), output)
    assert.truthy(read(inside .. "/folder/c.pt"))
    assert.falsy(read(inside .. "/folder/c.pt.tmp"))
  end)

  it("says which option is wrong", function()
    for _, options in ipairs {"--memory x", "--time", "--nothing 3", "--memory -1"} do
      assert.truthy(programs.output(quote(programs.tocha) .. " --sandbox " .. options .. " x.lua"):find("unrecognized option", 1, true), options)
    end
    assert.truthy(run("print 'ESCAPED'", "--folder /nowhere"):find("cannot open the folder '/nowhere'", 1, true))
  end)
end)
