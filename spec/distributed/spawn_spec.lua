-- spawn_spec.lua: torch.multiprocessing: functions in processes of their own, in tocha and in stock Lua.
local programs = require "programs"

local DEADLINE = 60 -- seconds

-- Returns the output of a program, which a process has that long to finish.
local function run(text) return programs.run(text, ("timeout %d"):format(DEADLINE)) end

-- Returns the lines of a text, sorted.
local function lines(text)
  local list = {}
  for line in text:gmatch "[^\n]+" do list[#list + 1] = line end
  table.sort(list)
  return list
end

describe("torch.multiprocessing", function()
  it("spawn calls a function with its number and arguments", function()
    local out = run [[
local scale = torch.tensor {2., 3.}
function helper(x) return x * 10 end
local function f(i, a, net) print(i, helper(a), (scale * i):sum():item(), tostring(net), torch.get_default_dtype()) end
torch.set_default_dtype(torch.float64)
torch.multiprocessing.spawn(f, {args = {4, torch.nn.ReLU()}, nprocs = 3})]]
    assert.are.same({"0\t40\t0.0\tReLU()\ttorch.float64", "1\t40\t5.0\tReLU()\ttorch.float64", "2\t40\t10.0\tReLU()\ttorch.float64"}, lines(out))
  end)

  it("copies parameters, buffers, shared tensors and tensors without elements", function()
    local out = run [[
torch.manual_seed(0)
local net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
local same = torch.arange(3)
local expected = net(torch.ones(4, 3)):sum():item()
local function f(i, m, list)
  assert(list[1] == list[2] and list[3]:numel() == 0 and list[4]:is_contiguous())
  assert(m:get_submodule "0".weight.requires_grad)
  assert(list[4]:equal(torch.arange(6):view(2, 3):t()))
  print(m(torch.ones(4, 3)):sum():item() == expected, list[5].dtype)
end
torch.multiprocessing.spawn(f, {args = {net, {same, same, torch.empty(0, 3), torch.arange(6):view(2, 3):t(), torch.ones(2):half()}}, nprocs = 1})]]
    assert.are.equal("true\ttorch.float16\n", out)
  end)

  it("raises the error of a process, and ends the others", function()
    local out = run [[
local function f(i) if i == 1 then torch.ones(2, 3):mm(torch.ones(2, 3)) end while true do end end
local started = os.time()
local ok, err = pcall(torch.multiprocessing.spawn, f, {nprocs = 3})
print(ok, err.code, err.error_index, os.time() - started < 20)
print(err.message)]]
    assert.truthy(out:find "^false\tProcessRaisedException\t1\ttrue\n\n\n%-%- Process 1 terminated with the following error:\nstack traceback:\n")
    assert.truthy(out:find "RuntimeError: mm: mat1 and mat2 shapes cannot be multiplied %(2x3 and 2x3%)\nhint: ")
    assert.falsy(out:find("multiprocessing.child", 1, true))
  end)

  it("says how a process ended that left no error", function()
    local out = run [[
local mp = torch.multiprocessing
local ok, err = pcall(mp.spawn, function() os.exit(7) end)
print(err.code, err.message, err.exit_code)
ok, err = pcall(mp.spawn, function() os.execute "kill -9 $PPID" end)
print(err.code, err.message, err.exit_code, err.signal_name)]]
    assert.are.equal([[
ProcessExitedException	process 0 terminated with exit code 7	7
ProcessExitedException	process 0 terminated with signal SIGKILL	-9	SIGKILL
]], out)
  end)

  it("returns a context if join is false", function()
    local out = run [[
local context = torch.multiprocessing.spawn(function(i) os.execute(("sleep %g"):format(0.5 * (i + 1))) end, {nprocs = 2, join = false})
print(#context:pids(), context:join {timeout = 0})
local times = 0
repeat times = times + 1 until context:join()
print(times <= 2, context:join())]]
    assert.are.equal("2\tfalse\ntrue\ttrue\n", out)
  end)

  it("has processes as Python has", function()
    local out = run [[
local mp = torch.multiprocessing
mp.set_start_method "spawn"
local list = {}
for rank = 0, 1 do
  list[rank + 1] = mp.Process {target = function(i, text) print(i, text) os.exit(i) end, args = {rank, "x"}}
  list[rank + 1]:start()
end
for _, p in ipairs(list) do p:join() end
print("end", list[1].exitcode, list[2].exitcode, list[1]:is_alive())
local p = mp.Process {target = function() while true do end end}
p:start()
print("end", p.exitcode, p:is_alive())
p:terminate()
p:join()
print("end", p.exitcode)]]
    assert.are.same({"0\tx", "1\tx", "end\t-15", "end\t0\t1\tfalse", "end\tnil\ttrue"}, lines(out))
  end)

  it("waits at the program's end for processes that are no daemons, and kills daemons", function()
    local name = os.tmpname()
    local program = [[
local function f() os.execute "sleep 0.5; echo late >>%s" end
torch.multiprocessing.spawn(f, {join = false, daemon = %s})]]
    run(program:format(name, "true"))
    os.execute "sleep 0.8"
    assert.are.equal("", programs.read(name))
    run(program:format(name, "false"))
    assert.are.equal("late\n", programs.read(name))
    os.remove(name)
  end)

  it("refuses what cannot travel, and ways to start that are not here", function()
    local out = run [[
local mp = torch.multiprocessing
local file = io.tmpfile()
print(select(2, pcall(mp.spawn, function() return file end)).message)
print(select(2, pcall(mp.spawn, print, {start_method = "fork"})).message)
print(select(2, pcall(mp.start_processes, print, {start_method = "fork"})).message)
print(select(2, pcall(mp.set_start_method, "x")).message)]]
    assert.truthy(out:find("^cannot pickle 'FILE%*' object: fn, upvalue 'file'\nThis method only supports start_method=spawn %(got: fork%)%.\n"))
    assert.truthy(out:find("start method 'fork' is not here\ncannot find context for 'x'\n", 1, true))
  end)

  it("starts stock Lua again if that runs the script", function()
    local name = os.tmpname()
    programs.write(name, [[
torch = require "torch"
torch.multiprocessing.spawn(function(i) print(i, torch.ones(i + 1):sum():item()) end, {nprocs = 2})]])
    local out = programs.output(("LUA_CPATH='%s/?.so' timeout %d %s %s"):format(programs.folder, DEADLINE, programs.lua, name))
    os.remove(name)
    assert.are.same({"0\t1.0", "1\t2.0"}, lines(out))
  end)

  it("is not in a sandbox", function()
    local name = os.tmpname()
    programs.write(name, "print(pcall(torch.multiprocessing.spawn, function() end))")
    local out = programs.output(("timeout %d %s --sandbox %s"):format(DEADLINE, programs.quote(programs.tocha), name))
    os.remove(name)
    assert.truthy(out:find("^false\tthere is no interpreter to start processes with\n"))
  end)
end)
