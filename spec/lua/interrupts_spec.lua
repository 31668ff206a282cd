-- Ctrl-C: what takes long answers soon. A program signals that it is ready, computes, gets SIGINT, and says how much
-- processor time it had used when the error was caught: the load of the machine does not count.
local programs = require "programs"

local LIMIT = os.getenv "ASAN_OPTIONS" and 1 or 0.3   -- seconds; sanitizers take their time
local SHARED = "local m = torch.nn.Linear(1, 1) for _ = 1, 40 do m = torch.nn.Sequential(m, m) end"
local LONG = {   -- name, preparation, what takes seconds
  {"matmul", "local a = torch.rand(3000, 3000)", "for _ = 1, 10 do a:mm(a) end"},
  {"tensor of a table", "local t = {} for i = 1, 5000000 do t[i] = i end", "for _ = 1, 10 do torch.tensor(t) end"},
  {"tolist", "local x = torch.zeros(10000000)", "for _ = 1, 10 do x:tolist() end"},
  {"tostring", "torch.set_printoptions{profile = 'full'} local x = torch.rand(2000000)", "tostring(x)"},
  {"randperm", "", "torch.randperm(50000000)"},
  {"randn", "local x = torch.empty(20000000)", "for _ = 1, 20 do x:normal_() end"},
  {"exponential_", "local x = torch.empty(20000000)", "x:exponential_()"},
  {"scatter_add_", "local x = torch.rand(10000000) local i = torch.randint(0, 10000000, {10000000})",
    "for _ = 1, 20 do x:scatter_add_(0, i, x:clone()) end"},
  {"cummax", "local x = torch.rand(20000000)", "for _ = 1, 200 do x:cummax(0) end"},
  {"sort", "local x = torch.rand(20000000)", "for _ = 1, 9 do x:sort() end"},
  {"conv2d of few channels", "local x = torch.rand(32, 16, 500, 500) local w = torch.rand(16, 16, 3, 3)",
    "for _ = 1, 20 do torch.nn.functional.conv2d(x, w, nil, 1, 1) end"},
  {"conv2d of one image", "local x = torch.rand(1, 16, 3000, 3000) local w = torch.rand(16, 16, 3, 3)",
    "for _ = 1, 9 do torch.nn.functional.conv2d(x, w, nil, 1, 1) end"},
  {"conv2d of few groups and large windows", "local x = torch.rand(1, 3, 3000, 3000) local w = torch.rand(3, 1, 51, 51)",
    "torch.nn.functional.conv2d(x, w, nil, 1, 0, 1, 3)"},
  {"conv2d in groups", "local x = torch.rand(1, 256, 512, 512) local w = torch.rand(256, 1, 7, 7)",
    "for _ = 1, 9 do torch.nn.functional.conv2d(x, w, nil, 1, 3, 1, 256) end"},
  {"kthvalue", "local x = torch.rand(20000000)", "for _ = 1, 20 do x:kthvalue(1000000) end"},
  {"lu_factor", "local a = torch.rand(5000, 5000)", "for _ = 1, 20 do torch.linalg.lu_factor(a) end"},
  {"qr", "local a = torch.rand(3000, 3000)", "for _ = 1, 20 do torch.linalg.qr(a) end"},
  {"cholesky", "local a = torch.eye(7000)", "for _ = 1, 20 do torch.linalg.cholesky(a) end"},
  {"solve", "local a = torch.rand(4000, 4000)", "for _ = 1, 20 do torch.linalg.solve(a, a) end"},
  {"svd", "local a = torch.rand(3000, 3000)", "torch.linalg.svd(a)"},
  {"eigh", "local a = torch.rand(4000, 4000)", "torch.linalg.eigh(a)"},
  {"lstsq", "local a = torch.rand(2000, 2000)", "torch.linalg.lstsq(a, a, {driver = 'gelsd'})"},
  {"svd of many matrices", "local a = torch.rand(3000, 100, 100)", "torch.linalg.svd(a)"},
  {"mm of long rows", "local a = torch.rand(100, 3000000) local b = a.mT", "for _ = 1, 20 do a:mm(b) end"},
  {"load", "local f = assert(io.tmpfile()) torch.save(torch.rand(100000000), f)", "for _ = 1, 40 do f:seek 'set' torch.load(f) end"},
  {"eval of a module shared 2^40 times", SHARED, "m:eval()"},
  {"state_dict of a module shared 2^40 times", SHARED, "m:state_dict()"},
  {"a call of a module shared 2^40 times", SHARED, "m(torch.ones(1))"},
}

local PROGRAM = [[
%s
local function long() %s end
print "ready"
io.stdout:flush()
local finished = false
pcall(function() pcall(function() long() finished = true end) torch.ones(1) end)   -- one Ctrl-C may raise twice
io.write(os.clock(), " ", tostring(finished), "\n")
os.exit(0, false)
]]

-- utime and stime stand in the fields 14 and 15, in hundredths of a second.
local SHELL = [[
TOCHA -e PROGRAM >OUT 2>&1 & pid=$!
while kill -0 $pid 2>/dev/null && ! grep -q ready OUT; do sleep 0.02; done
sleep 0.3
set -- $(cat /proc/$pid/stat)
kill -INT $pid
wait $pid
echo $((${14} + ${15}))
]]

local function processor_time_to_answer(preparation, work)
  local out = os.tmpname()
  local values = {TOCHA = programs.quote(programs.tocha), OUT = out, PROGRAM = programs.quote(PROGRAM:format(preparation, work))}
  local pipe = io.popen("timeout 60 sh -c " .. programs.quote((SHELL:gsub("%u%u%u+", values))))
  local before = tonumber(pipe:read "a")
  pipe:close()
  local text = programs.read(out)
  os.remove(out)
  local clock, finished = text:match "ready\n(%S+) (%a+)"
  assert(finished == "false", text)
  return tonumber(clock) - before / 100
end

describe("Ctrl-C during", function()
  if not programs.read "/proc/self/stat" then
    pending "/proc is missing"
    return
  end
  for _, long in ipairs(LONG) do
    it(long[1], function()
      local limit, time = long[3]:find "do torch.linalg" and 1 or long[1] == "matmul" and 2 or LIMIT, math.huge
      for _ = 1, 3 do   -- the least of three: the first touch of memory may take the host long
        if time >= limit then time = math.min(time, processor_time_to_answer(long[2], long[3])) end
      end
      assert.is_true(time < limit, ("%.2f s of processor time"):format(time))
    end)
  end
end)

-- LAPACK goes on in a thread of its own then, which takes a minute; `exit` would take the memory away that it works in.
describe("A program that Ctrl-C called back from svd", function()
  local SVD = "local a = torch.rand(3000, 3000) print 'ready' io.stdout:flush() print(pcall(torch.linalg.svd, a)) "
  local WAIT = [[
TOCHA -e PROGRAM >OUT 2>&1 & pid=$!
while kill -0 $pid 2>/dev/null && ! grep -q ready OUT; do sleep 0.02; done
sleep 0.5
kill -INT $pid
timeout 20 tail --pid=$pid -f /dev/null
wait $pid
echo $?
]]
  local ENDS = {
    {"ends by os.exit", "io.write 'bye' os.exit(7)", "7"},
    {"ends by itself", "io.write 'bye'", "0"},
    {"ends by an error", "io.write 'bye' error 'so'", "1"},
    {"ends by os.exit in a coroutine", "coroutine.wrap(function() io.write 'bye' os.exit(true, true) end)()", "0"},
  }
  for _, case in ipairs(ENDS) do
    it(case[1] .. ", with its exit code and all that it wrote", function()
      local out = os.tmpname()
      local values = {TOCHA = programs.quote(programs.tocha), OUT = out, PROGRAM = programs.quote(SVD .. case[2])}
      local pipe = io.popen("timeout 60 sh -c " .. programs.quote((WAIT:gsub("%u%u%u+", values))))
      local code, text = pipe:read "a", programs.read(out)
      pipe:close()
      os.remove(out)
      assert.equal(case[3], code:match "%d+")
      assert.truthy(text:find("interrupted!", 1, true), text)
      assert.truthy(text:find("bye", 1, true), text)
    end)
  end
end)
