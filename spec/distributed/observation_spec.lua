-- observation_spec.lua: what is told of a run: long waits, the traces of ranks, questions to a running job, and communication in profiles.
local programs = require "programs"
local quote, read = programs.quote, programs.read

local DEADLINE = 60   -- seconds for any command

local folder

local function script(text)
  local path = folder .. "/script.lua"
  programs.write(path, text)
  return path
end

-- Returns what a shell command writes to both streams, without the folder, and its exit code.
local function call(command)
  local out = folder .. "/out"
  local _, _, code = os.execute(("{ %s\n} >%s 2>&1"):format(command, out))
  return (read(out):gsub(folder:gsub("%p", "%%%0") .. "/", "")), code
end

-- Runs a text on ranks.
local function launch(count, text, before, options)
  return call(("%s timeout %d %s --nproc %d %s %s"):format(before or "", DEADLINE, quote(programs.tocha), count, options or "", script(text)))
end

local function tell(options) return call(("timeout %d %s/tocharun %s"):format(DEADLINE, quote(programs.folder), options)) end

describe("a run", function()
  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    os.execute("mkdir " .. folder)
  end)
  after_each(function() os.execute("rm -rf " .. folder) end)

  it("tells once of a long wait: who is missing, what it did last, where its script stands", function()
    local out, code = launch(2, [[
local dist = torch.distributed
dist.init_process_group "gloo"
local is_late, x = dist.get_rank() == 1, torch.ones(3)
local function load()
  local list, since = {}, torch._clock()
  while torch._clock() - since < 2 do list = {list[1]} end
end
dist.barrier()
if is_late then load() end
dist.all_reduce(x)
local a = is_late and torch.rand(4300, 4300, {dtype = torch.float64})
dist.barrier()
if is_late then a:mm(a) end
dist.all_reduce(x)
if is_late then os.execute "sleep 2" end
dist.all_reduce(x)
dist.destroy_process_group()]], "TOCHA_DISTRIBUTED_REPORT_AFTER=0.4")
    assert.are.equal(0, code, out)
    local reports = {}
    for line in out:gmatch "rank 0 has waited for [^\n]*" do reports[#reports + 1] = line end
    assert.are.equal(3, #reports, out)
    assert.truthy(out:find("rank 1 has not come: its last operation in this group was barrier%(%) at script.lua:8; it is now at\n" ..
      "%[0%]   script.lua:6: in %a+ 'load'\n"), out)
    assert.truthy(out:find("[0]   script.lua:9: in main chunk", 1, true), out)
    assert.truthy(out:find("; it is now in the operator mm\n", 1, true), out)
    assert.truthy(out:find("its last operation in this group was all_reduce(float32 [3], SUM) at script.lua:14; it gives no answer", 1, true), out)
  end)

  it("leaves the traces of its ranks when one fails, which tocharun --trace tells in words", function()
    local out, code = launch(3, [[
local dist = torch.distributed
dist.init_process_group "gloo"
local rank, x = dist.get_rank(), torch.ones(3)
for i = 1, 5 do
  if rank == 2 then os.execute "sleep 0.1" end
  dist.all_reduce(x)
end
if rank == 1 then error "no data" end
dist.broadcast(x, 0)]], nil, "--trace-dir " .. folder .. "/traces")
    assert.are.equal(1, code)
    assert.truthy(out:find("What the ranks did last: tocharun --trace traces/attempt_0\n", 1, true), out)
    local words, status = tell(("--trace %s/traces --timeline %s/t.json"):format(folder, folder))
    assert.are.equal(0, status, words)
    assert.truthy(words:find("All completed number 5: all_reduce(Float [3], SUM) at script.lua:6\n  Then, number 6:\n" ..
      "    ranks 0, 2: broadcast(Float [3], root 0) at script.lua:9", 1, true), words)
    assert.truthy(words:find("rank 1 has not begun it; its last was all_reduce(Float [3], SUM) at script.lua:6", 1, true), words)
    assert.truthy(words:find "Stragglers: rank 2 came last in [345] of 5 operations", words)
    local events = require "torch"._part "tools.json".read(read(folder .. "/t.json")).traceEvents
    local count = {}
    for _, e in ipairs(events) do count[e.name] = (count[e.name] or 0) + 1 end
    assert.are.equal(15, count["gloo:all_reduce"])
    assert.are.equal(2, count["gloo:broadcast"])
    os.remove(folder .. "/traces/attempt_0/rank_1.json")
    assert.truthy(tell(("--trace %s/traces"):format(folder)):find("rank 1 left no record", 1, true))
    words, status = tell("--trace " .. folder)
    assert.are.equal(2, status)
    assert.truthy(words:find("has no traces of ranks", 1, true))
  end)

  it("names what differs in a trace", function()
    launch(2, [[
local dist = torch.distributed
dist.init_process_group "gloo"
if dist.get_rank() == 0 then dist.barrier() else dist.all_reduce(torch.ones(3)) end]], nil, "--trace-dir " .. folder .. "/traces")
    local words = tell("--trace " .. folder .. "/traces")
    assert.truthy(words:find("Mismatch: rank 0 began barrier(), rank 1 all_reduce(Float [3], SUM)", 1, true), words)
  end)

  it("answers kill -USR1 of its launcher, and goes on", function()
    local path = script [[
local dist = torch.distributed
dist.init_process_group "gloo"
dist.barrier()
if dist.get_rank() == 0 then
  os.execute("touch " .. os.getenv "STARTED")
  local list
  while not os.rename(os.getenv "STARTED" .. ".end", os.getenv "STARTED" .. ".ended") do list = {list and 1} end
end
dist.barrier()
dist.destroy_process_group()]]
    local out = call(([[
STARTED=%s/started %s --nproc 2 --trace-dir %s/traces %s & launcher=$!
(sleep %d; kill -9 $launcher) 2>/dev/null >&2 & guard=$!
for i in $(seq 300); do test -e %s/started && break; sleep 0.1; done
kill -USR1 $launcher
for i in $(seq 100); do test -e %s/traces/attempt_0/rank_1.json && break; sleep 0.1; done
sleep 1
touch %s/started.end
wait $launcher; echo code $?; kill $guard]]):format(folder, quote(programs.tocha), folder, path, DEADLINE, folder, folder, folder))
    assert.truthy(out:find("rank 0: its last operation was barrier() at script.lua:3; it is now at\n    script.lua:7: in main chunk\n", 1, true), out)
    assert.truthy(out:find("rank 1: it waits now in barrier() at script.lua:9 in group 0\n    script.lua:9: in main chunk\n", 1, true), out)
    assert.truthy(out:find("\n  What the ranks did last: tocharun --trace ", 1, true), out)
    assert.truthy(out:find("code 0", 1, true), out)
  end)

  it("has its communication in profiles", function()
    local out, code = launch(2, [[
local dist, profiler = torch.distributed, torch.profiler
dist.init_process_group "gloo"
local rank, x = dist.get_rank(), torch.ones(200000)
dist.all_reduce(x)
local profile = profiler.profile({with_stack = false}, function()
  for _ = 1, 2 do
    profiler.record_function("step", function()
      local work = dist.all_reduce(x, {async_op = true})
      torch.rand(200, 200):mm(torch.rand(200, 200))
      work:wait()
      if rank == 1 then os.execute "sleep 0.2" end
      dist.barrier()
      if rank == 0 then dist.send(x, 1) else dist.recv(x, 0) end
    end)
  end
end)
local rows = profile:key_averages()
for i = 0, #rows - 1 do
  if rows[i].key:find ":" then print(rows[i].key, rows[i].count) end
end
local c = profile:communication()
for _, list in ipairs{c.operations, c.ranges} do
  for _, r in ipairs(list) do print(r.key, r.count, r.bytes, r.seconds >= r.overlapped and r.overlapped >= 0, r.waited > 0.3) end
end
print("straggler", c.stragglers[1].rank, c.stragglers[1].count >= 2, c.stragglers[1].most > 0.1)
assert(tostring(profile):find("rank 1 came last to", 1, true))
if rank == 0 then profile:export_chrome_trace(os.getenv "TRACE") end
dist.destroy_process_group()]], ("TRACE=%s/t.json"):format(folder))
    assert.are.equal(0, code, out)
    local function has(rank, ...)
      local line = ("[%d] %s\n"):format(rank, table.concat({...}, "\t"))
      assert.truthy(out:find(line, 1, true), line .. out)
    end
    for rank = 0, 1 do
      for _, name in ipairs{"c10d::allreduce_", "gloo:all_reduce", "c10d::barrier", "gloo:barrier"} do has(rank, name, "2") end
      has(rank, "straggler", "1", "true", "true")
    end
    has(0, "gloo:barrier", "2", "0", "true", "true")
    has(1, "gloo:barrier", "2", "0", "true", "false")
    has(0, "gloo:send", "2", "1600000", "true", "false")
    has(1, "gloo:recv", "2", "1600000", "true", "false")
    has(0, "step", "6", "3200000", "true", "true")
    local events, named = require "torch"._part "tools.json".read(read(folder .. "/t.json")).traceEvents, false
    local reduced = {}
    for _, e in ipairs(events) do
      named = named or e.ph == "M" and e.args.name == "group 0 (gloo)"
      if e.name == "gloo:all_reduce" then reduced[#reduced + 1] = e end
    end
    assert.is_true(named)
    assert.are.equal(2, #reduced)
    assert.are.same({"all_reduce", 200000, "Float", 800000, 2}, {reduced[1].args["Collective name"], reduced[1].args["In msg nelems"],
      reduced[1].args.dtype, reduced[1].args.Bytes, reduced[1].args["Group size"]})
  end)
end)
