-- hosts_spec.lua: two hosts with two ranks each: what they compute, the words for mistakes, deaths and stops on the other host, and a link that
-- is cut. The hosts are namespaces of this machine (spec/support/hosts.lua), so each job can have any port.
local hosts = require "hosts"
local programs = require "programs"
local quote, read = programs.quote, programs.read

local RANKS, ON_EACH = 4, 2
local DEADLINE = 60   -- seconds for a job
local available, reason = hosts.available()
local net
local port = 29500

-- What a job's script begins with. `note` writes a file of this rank; `fails` notes the time and the words of an error of `f`.
local preamble = [[
local torch = require "torch"
local dist, folder = torch.distributed, "FOLDER"
local rank = tonumber(os.getenv "RANK")
local function note(name, text)
  local file = assert(io.open(folder .. name .. rank .. ".new", "w"))
  file:write(text)
  file:close()
  os.rename(folder .. name .. rank .. ".new", folder .. name .. rank)
end
local function fails(name, f, ...)
  local ok, e = pcall(f, ...)
  note(name, torch._clock() .. "\n" .. (ok and "no error" or tostring(e)))
end
dist.init_process_group("gloo", {timeout = 50})
note("process", io.open "/proc/self/stat":read "a":match "%d+")
]]

-- Starts a script on all ranks. options: bare: without launchers, rank 0 serves the store; endpoint: the launchers meet at --rdzv-endpoint.
local function start(name, script, options)
  options = options or {}
  port = port + 1
  local job = {name = name, folder = net.folder .. "/" .. name .. ".", endings = {}}
  local path = job.folder .. "script.lua"
  programs.write(path, (preamble:gsub("FOLDER", job.folder)) .. script)
  for host = 1, 2 do
    local meet = options.endpoint and ("--rdzv-backend c10d --rdzv-endpoint %s:%d"):format(hosts.address(1), port)
      or ("--node-rank %d --master-addr %s --master-port %d"):format(host - 1, hosts.address(1), port)
    local ranks = options.bare and ON_EACH or 1
    for i = 0, ranks - 1 do
      local rank = ON_EACH * (host - 1) + i
      local ending = ("%s.end%d"):format(name, options.bare and rank or host)
      local command = ("%s --nnodes 2 %s --nproc %d %s"):format(quote(programs.tocha), meet, ON_EACH, path)
      if options.bare then
        command = ("env RANK=%d WORLD_SIZE=%d LOCAL_RANK=%d MASTER_ADDR=%s MASTER_PORT=%d %s %s"):format(rank, RANKS, i, hosts.address(1), port,
          quote(programs.tocha), path)
      end
      net:start(host, ending, ("OMP_NUM_THREADS=1 timeout -s KILL %d %s"):format(DEADLINE, command))
      job.endings[#job.endings + 1] = {name = ending, rank = options.bare and rank}
    end
  end
  return job
end

-- Returns what the ranks have noted, waiting for all but those of `without`: a list by rank.
local function notes(job, name, without)
  local list, ends = {}, os.time() + DEADLINE
  for rank = 0, RANKS - 1 do
    local path = job.folder .. name .. rank
    while not (without and without[rank]) and not read(path) do
      assert(os.time() < ends, ("rank %d of %s has no %s: %s"):format(rank, job.name, name, programs.output("cat " .. job.folder .. "*end*")))
      os.execute "sleep 0.02"
    end
    list[rank] = read(path)
  end
  return list
end

-- Waits for the end of what was started, and checks that none has to be killed. Returns the texts of all.
local function finish(job, expected, without)
  local texts = {}
  for _, ending in ipairs(job.endings) do
    if not (without and without[ending.rank]) then
      local ended, text = net:await(ending.name, DEADLINE)
      assert(ended, ending.name .. " goes on: " .. tostring(text))
      text = ended.output .. ended.errors
      assert.equal(expected, ended.status, ending.name .. ": " .. text)
      texts[#texts + 1] = text
    end
  end
  return table.concat(texts)
end

-- Returns how many processes have the job's script among their arguments.
local function count_of(job)
  return tonumber(programs.output(("grep -l -a -s '%s[s]cript.lua' /proc/[0-9]*/cmdline | wc -l"):format(job.folder)))
end

-- Checks the words of all survivors of a job, and the seconds from `since` on.
local function check_words(job, since, most, dead, patterns)
  for rank, text in pairs(notes(job, "error", dead)) do
    for _, pattern in ipairs(type(patterns) == "function" and patterns(rank) or patterns) do
      assert.is_truthy(text:find(pattern), ("%s: expected %s of rank %d: %s"):format(job.name, pattern, rank, text))
    end
    assert.is_truthy(text:find("rank " .. rank .. " was running [%w_]+%b() at [^\n]*script.lua:%d+"), text)
    local seconds = tonumber(text:match "%S+") - since
    assert.is_true(seconds < most, ("%s: rank %d after %g s: %s"):format(job.name, rank, seconds, text))
  end
end

local waiting = {
  check = [[
note("ready", "")
if rank == VICTIM then while true do os.execute "sleep 1" end end
fails("error", dist.all_reduce, torch.ones(10))
]],
  inside = [[
local x = torch.ones(2000000)
dist.all_reduce(x)
note("ready", "")
fails("error", function() while true do dist.all_reduce(x) end end)
]],
  recv = [[
note("ready", "")
if rank == VICTIM then while true do os.execute "sleep 1" end end
fails("error", dist.recv, torch.ones(10), VICTIM)
]],
  idle = [[
dist.barrier()
note("ready", "")
while not io.open(folder .. "go") do os.execute "sleep 0.1" end
fails("error", dist.all_reduce, torch.ones(10))
]],
}

local function start_waiting(moment, victim, options)
  local name = ("%s%d%s"):format(moment, victim, options and "bare" or "")
  return start(name, waiting[moment]:gsub("VICTIM", victim) .. 'error("the end", 0)\n', options)
end

describe("two hosts", function()
  if not available then
    pending("with ranks on both: " .. reason)
    return
  end
  setup(function() net = hosts.open(2) end)
  teardown(function() net:close() end)

  it("compute what one would", function()
    local job = start("values", [[
local function expect(good, what) if not good then error(what, 2) end end
local x = torch.ones(5) * (rank + 1)
dist.all_reduce(x)
expect(x:equal(torch.ones(5) * 10), "all_reduce")
local list = {}
dist.all_gather_object(list, {rank = rank, host = io.open "/proc/sys/kernel/hostname":read()})
expect(list[1].host == list[2].host and list[1].host ~= list[4].host and list[4].rank == 3, "all_gather_object")
local model = torch.nn.Linear(8, 8)
local ddp = torch.nn.parallel.DistributedDataParallel(model)
for _ = 1, 3 do
  model:zero_grad()
  ddp(torch.randn(4, 8)):pow(2):mean():backward()
end
local grads = {}
for i = 1, 4 do grads[i] = torch.zeros(8, 8) end
dist.all_gather(grads, model.weight.grad)
expect(grads[1]:equal(grads[2]) and grads[1]:equal(grads[4]), "DistributedDataParallel")
local works, got = {}, {}   -- each with each, in orders that differ
for d = 1, 3 do
  local to = (rank + (rank % 2 == 0 and d or -d)) % 4
  for k = 1, 5 do works[#works + 1] = dist.isend(torch.ones(3) * (10 * rank + k), to) end
end
for d = 1, 3 do
  local from = (rank - d) % 4
  got[from] = {}
  for k = 1, 5 do
    got[from][k] = torch.zeros(3)
    works[#works + 1] = dist.irecv(got[from][k], from)
  end
end
for _, work in ipairs(works) do work:wait() end
for from, each in pairs(got) do
  for k = 1, 5 do expect(each[k]:equal(torch.ones(3) * (10 * from + k)), "send") end
end
if rank == 0 then
  local seen, y = {}, torch.zeros(1)
  for _ = 1, 3 do
    local from = dist.recv(y)
    expect(y:item() == from, "recv of any rank")
    seen[from] = true
  end
  expect(seen[1] and seen[2] and seen[3], "recv of all")
else
  dist.send(torch.ones(1) * rank, 0)
end
dist.barrier()
dist.destroy_process_group()
]], {endpoint = true})
    finish(job, 0)
  end)

  it("hear of mistakes in the same words, with the names of the hosts", function()
    local job = start("mistakes", [[
local peer = (rank + 2) % 4
fails("pair", rank < 2 and dist.send or dist.recv, torch.ones(rank < 2 and 3 or 2), peer)
fails("operation", rank == 3 and dist.barrier or dist.all_reduce, rank ~= 3 and torch.ones(3) or nil)
dist.barrier()
if rank ~= 3 then fails("left", dist.recv, torch.ones(1), 3) end
dist.destroy_process_group()
]])
    finish(job, 0)
    for rank, text in pairs(notes(job, "pair")) do
      local sender = rank % 2
      assert.is_truthy(text:find(("Rank %d sends 3 elements of torch.float32, but Rank %d receives 2 of torch.float32."):format(sender, sender + 2), 1, true),
        text)
      assert.is_truthy(text:find(("rank %d %%(host1%%): send at .*script.lua:%%d+\n  rank %d %%(host2%%): recv at"):format(sender, sender + 2)), text)
    end
    for _, text in pairs(notes(job, "operation")) do
      assert.is_truthy(text:find "mismatch between collectives .*\n  rank 0 %(host1%): all_reduce.*\n  rank 3 %(host2%): barrier%(%) at", text)
    end
    for _, text in pairs(notes(job, "left", {[3] = true})) do assert.is_truthy(text:find "Rank 3 has left the group at .*script.lua:%d+, but", text) end
  end)

  it("hear of a death, a stop, and the end of the store on the other one", function()
    local jobs = {
      {job = start_waiting("inside", 2), victim = 2, signal = "KILL", words = {"Rank 2 %(process %d+ on host2%) was killed by signal 9"}},
      {job = start_waiting("recv", 3, {bare = true}), victim = 3, signal = "KILL", words = {"Rank 3 %(process %d+ on host2%) has died"}},
      {job = start_waiting("check", 2), victim = 2, signal = "STOP", words = {"Rank 2 %(process %d+ on host2%) was stopped by a signal"}},
      {job = start_waiting("check", 0, {bare = true}), victim = 0, signal = "KILL", words = {"Rank 0 %(process %d+ on host1%) has died"}},
    }
    local torch = require "torch"
    for _, case in ipairs(jobs) do notes(case.job, "ready") end
    os.execute "sleep 0.3"
    for _, case in ipairs(jobs) do
      local processes = notes(case.job, "process")
      case.time = torch._clock()
      net:shell(("kill -%s %s"):format(case.signal, processes[case.victim]))
    end
    for _, case in ipairs(jobs) do
      local dead = {[case.victim] = true}
      check_words(case.job, case.time, case.signal == "STOP" and 3 or 2, dead, case.words)   -- alone, 0.1 s; STOP, 0.7 s
      finish(case.job, 1, dead)
      assert.equal(0, count_of(case.job), case.job.name)
    end
  end)

  it("hear of a link that is cut, on both sides", function()
    local jobs = {start_waiting("idle", 2), start_waiting("inside", 3), start_waiting("check", 3), start_waiting("inside", 1, {bare = true})}
    for _, job in ipairs(jobs) do notes(job, "ready") end
    local torch = require "torch"
    os.execute "sleep 0.3"
    local time = torch._clock()
    net:cut(2)
    os.execute "sleep 7.5"
    programs.write(jobs[1].folder .. "go", "")
    for i, job in ipairs(jobs) do
      local here = {"Rank [23] %(process %d+ on host2%) has been silent for 6 s"}
      local cut_off = {(i == 4 and "Rank 0 %(process %d+ on host1%), which serves the store," or "The store's server %(10.77.0.1, port %d+%)")
        .. " has been silent for 6 s"}
      check_words(job, time, 10, i == 3 and {[3] = true}, function(rank) return rank < 2 and here or cut_off end)
    end
    for _, job in ipairs(jobs) do
      finish(job, 1)
      assert.equal(0, count_of(job), job.name)
    end
  end)
end)
