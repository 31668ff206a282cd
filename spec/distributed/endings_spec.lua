-- endings_spec.lua: how a rank ended is known also if its launcher has not collected the process: because the system still frees its memory,
-- or because the launcher itself gets no time or no memory.
local lfs = require "lfs"
local torch = require "torch"
local deaths = require "deaths"
local programs = require "programs"
local quote, read = programs.quote, programs.read
local processes = torch._processes

local DEADLINE = 10   -- seconds for a process to end

describe("the end of a process", function()
  -- Starts a shell, and returns its process once `condition` holds for it.
  local function start(text, condition)
    local pid = assert(processes.start {arguments = {"sh", "-c", text}, environment = {}})
    local watch, since = processes.watch(pid), processes.now()
    while not condition(pid) and processes.now() - since < DEADLINE do processes.wait({watch}, 0.01) end
    if watch then processes.close(watch) end
    return pid
  end
  local function is_over(pid) return (read(("/proc/%d/stat"):format(pid)) or ""):find "%) Z" end

  -- Returns what is found before the process is collected, and then.
  local function endings(text)
    local pid = start(text, is_over)
    return processes.find_ending(pid), processes.ended(pid), processes.find_ending(pid)
  end

  it("is found before it is collected", function()
    for text, expected in pairs {["kill -9 $$"] = {code = 0, signal = 9, signal_name = "SIGKILL"}, ["exit 3"] = {code = 3}} do
      local found, ended, again = endings(text)
      for _, e in ipairs {found, ended} do assert.are.same({expected.code, expected.signal, expected.signal_name}, {e.code, e.signal, e.signal_name}) end
      assert.is_truthy(found and ended)
      assert.is_nil(again)
    end
  end)

  it("is not found of one that runs or has succeeded", function()
    assert.is_nil((endings "exit 0"))
    local pid = start("sleep 50", function() return true end)
    assert.is_nil(processes.find_ending(pid))
    processes.signal(pid, "KILL")
    while not processes.ended(pid) do processes.wait({}, 0.01) end
  end)
end)

describe("the end of a rank", function()
  local folder

  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(lfs.mkdir(folder))
  end)
  after_each(function() os.execute("rm -rf " .. folder) end)

  -- Rank 1 lets the launcher stand still, and ends while rank 0 waits for it; COUNT is a file of a control group.
  local program = [[
local dist = torch.distributed
dist.init_process_group "gloo"
dist.barrier()
if dist.get_rank() == 1 then
  os.execute "kill -STOP $TOCHA_LAUNCHER; [ -z $COUNT ] || echo oom_kill 1 >$COUNT; date +%s.%N >DIED"
  LAST
end
local _, e = pcall(dist.barrier)
local since = tonumber(io.open "DIED":read "l")
os.execute "date +%s.%N >KNOWN; kill -CONT $TOCHA_LAUNCHER"
print(tonumber(io.open "KNOWN":read "l") - since < 1, (tostring(e):match "^[^\n]*"))]]

  -- Returns what rank 0 has said.
  local function survive(last, before)
    local path = folder .. "/script.lua"
    programs.write(path, (program:gsub("%u%u%u%u+", {DIED = folder .. "/died", KNOWN = folder .. "/known", LAST = last})))
    deaths.launch(path, 2, nil, nil, before)
    return read(path .. ".out"), read(path .. ".err")
  end

  it("by a signal is told within a second while the launcher stands still", function()
    local out, err = survive "os.execute 'kill -9 $PPID'"
    assert.truthy(out:find "^%[0%] true\tRank 1 %(process %d+ on [^)]*%) was killed by signal 9 %(SIGKILL%)\n$", out .. err)
    assert.truthy(err:find "First failure: rank 1 [^\n]* was killed by signal 9 %(SIGKILL%)\n$", err)
  end)

  it("by an exit code is told within a second while the launcher stands still", function()
    local out, err = survive "os.exit(3)"
    assert.truthy(out:find "^%[0%] true\tRank 1 %(process %d+ on [^)]*%) ended with exit code 3\n$", out .. err)
    assert.truthy(err:find "First failure: rank 1 [^\n]* ended with exit code 3\n$", err)
  end)

  -- The control group is files in a name space of mounts.
  for version, files in pairs {v2 = {"", "memory.events", "memory.max"}, v1 = {"/memory", "memory.oom_control", "memory.limit_in_bytes"}} do
    local section = os.execute "unshare -m true 2>/dev/null" and it or pending
    section("by a limit of memory is told while the launcher stands still, of control groups " .. version, function()
      local outer = folder .. "/outer.sh"
      programs.write(outer, ("mount -t tmpfs none /sys/fs/cgroup && mkdir -p /sys/fs/cgroup%s && cd /sys/fs/cgroup%s && echo oom_kill 0 >%s && " ..
        "echo 2147483648 >%s && COUNT=$PWD/%s && export COUNT && cd %s && exec \"$@\""):format(files[1], files[1], files[2], files[3], files[2],
        quote(lfs.currentdir())))
      local out, err = survive("os.execute 'kill -9 $PPID'", "unshare -m sh " .. outer)
      local words = "was killed by signal 9 (SIGKILL) by the system: the limit of memory of 2.0 GiB is reached\n"
      assert.truthy(out:find(words, 1, true), out .. err)
      assert.truthy(err:find("First failure: rank 1 [^\n]*" .. words:gsub("%p", "%%%0")), err)
    end)
  end
end)
