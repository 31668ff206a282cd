-- launcher_spec.lua: `tocha --nproc` and `tocharun`: what processes find, what is shown of them, and that none outlives the launcher.
local lfs = require "lfs"
local programs = require "programs"
local quote, read = programs.quote, programs.read

local DEADLINE = 60   -- seconds for any command
local torchrun = os.getenv "TORCHRUN" or "torchrun"

local folder

-- Returns the path of a script with this text.
local function script(text, name)
  local path = ("%s/%s"):format(folder, name or "script.lua")
  programs.write(path, text)
  return path
end

-- Returns what a command writes to the two streams, and its exit code.
local function call(command, before)
  local out, err = folder .. "/out", folder .. "/err"
  local _, _, code = os.execute(("%s timeout %d %s >%s 2>%s"):format(before or "", DEADLINE, command, out, err))
  return read(out), read(err), code
end

local function launch(words, before) return call(("%s --nproc %s"):format(quote(programs.tocha), words), before) end
local function run(words, before) return call(("%s/tocharun %s"):format(quote(programs.folder), words), before) end

-- Returns the lines of a text, sorted.
local function lines(text)
  local list = {}
  for line in text:gmatch "[^\n]+" do list[#list + 1] = line end
  table.sort(list)
  return list
end

-- Returns true once a condition holds, false if it does not in ten seconds.
local function soon(condition)
  for _ = 1, 100 do
    if condition() then return true end
    os.execute "sleep 0.1"
  end
  return false
end

-- Returns how many processes have a word among their arguments.
local function count_of(word)
  local count = 0
  local pipe = io.popen "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f; echo; done 2>/dev/null"
  for line in pipe:lines() do
    if line:find(word, 1, true) and not line:find("timeout", 1, true) then count = count + 1 end
  end
  pipe:close()
  return count
end

describe("the launcher", function()
  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    os.execute("mkdir " .. folder)
  end)
  teardown(function() os.execute("rm -rf " .. folder) end)

  it("gives each process torchrun's variables", function()
    local out, err, code = run("--nproc_per_node=2 --max-restarts 3 --rdzv_id job --role trainer --no-python env", "OMP_NUM_THREADS=")
    assert.are.equal("", err)
    assert.are.equal(0, code)
    local of = {[0] = {}, {}}
    for rank, name, value in out:gmatch "%[(%d)%] ([%w_]+)=([^\n]*)" do of[tonumber(rank)][name] = value end
    for rank = 0, 1 do
      local e = of[rank]
      for _, name in ipairs {"RANK", "LOCAL_RANK", "ROLE_RANK"} do assert.are.equal(tostring(rank), e[name]) end
      for _, name in ipairs {"WORLD_SIZE", "LOCAL_WORLD_SIZE", "ROLE_WORLD_SIZE"} do assert.are.equal("2", e[name]) end
      assert.are.same({"0", "1", "trainer", "job", "0", "3", "127.0.0.1", "True"}, {e.GROUP_RANK, e.GROUP_WORLD_SIZE, e.ROLE_NAME,
        e.TORCHELASTIC_RUN_ID, e.TORCHELASTIC_RESTART_COUNT, e.TORCHELASTIC_MAX_RESTARTS, e.MASTER_ADDR, e.TORCHELASTIC_USE_AGENT_STORE})
      assert.are.equal(of[0].MASTER_PORT, e.MASTER_PORT)
    end
    assert.are_not.equal(of[0].TORCHELASTIC_ERROR_FILE, of[1].TORCHELASTIC_ERROR_FILE)
  end)

  it("divides the processors among the processes, unless the user has", function()
    local path = script 'print(os.getenv "OMP_NUM_THREADS")'
    local processors = tonumber(programs.output "env -u OMP_NUM_THREADS nproc")
    assert.are.equal(("[0] %d\n"):format(math.max(1, processors // 2)), launch("2 --local-ranks-filter 0 " .. path, "env -u OMP_NUM_THREADS"))
    assert.are.equal("[0] 7\n", launch("2 --local-ranks-filter 0 " .. path, "OMP_NUM_THREADS=7"))
  end)

  it("reads defaults from the environment as torchrun does", function()
    assert.are.same({"[0] 2", "[1] 2"}, lines(run("--no-python sh -c 'echo $WORLD_SIZE'", "PET_NPROC_PER_NODE=2")))
  end)

  it("takes torchrun's options in both spellings", function()
    local words = "--nproc-per-node 1 --nnodes 1 --rdzv-backend c10d --rdzv-endpoint localhost:0 --rdzv-id 7 --rdzv-conf timeout=60 --standalone " ..
      "--max-restarts 0 --monitor-interval 0.1 --start-method spawn --event-log-handler null --role trainer --run-path --no-python --redirects 0 " ..
      "--tee 0 --log-line-prefix-template x --local-ranks-filter 0 --node-rank 0 --master-addr 127.0.0.1 --master-port 29500 " ..
      "--local-addr 127.0.0.1 --signals-to-handle SIGTERM --shutdown-timeout 5 --virtual-local-rank "
    assert.are.equal("trainer 7 0\n", (run(words .. "sh -c 'echo $ROLE_NAME $TORCHELASTIC_RUN_ID $LOCAL_RANK'")))
    local underscored = words:gsub("%-%-[%w-]+", function(name) return "--" .. name:sub(3):gsub("-", "_") end)
    assert.are.equal("trainer 7 0\n", (run(underscored .. "sh -c 'echo $ROLE_NAME $TORCHELASTIC_RUN_ID $LOCAL_RANK'")))
  end)

  it("gives a script to tocha, with its arguments, and starts any other program itself", function()
    local path = script "print(torch.ones(2):sum():item(), ...)"
    assert.are.same({"[0] 2.0\t--x\t1", "[1] 2.0\t--x\t1"}, lines((launch("2 " .. path .. " --x 1"))))
    assert.are.same({"[0] 1", "[1] 1"}, lines((launch "2 -e 'print(1)'")))
    assert.are.same({"[0] a b", "[1] a b"}, lines((launch "2 printf '%s %s\\n' a b")))
  end)

  it("leaves the streams of a single process alone", function()
    assert.are.equal("one\n", launch("1 " .. script "print 'one'"))
  end)

  it("shows whole lines", function()
    local path = script [[
for i = 1, 200 do io.write(os.getenv "RANK") io.flush() io.write(("x"):rep(30)) io.flush() io.write "\n" end
io.write "without an end"]]
    local out = launch("3 " .. path)
    local count = {}
    for line in out:gmatch "[^\n]+" do
      local rank, rest = line:match "^%[(%d)%] (.*)$"
      if rest == "without an end" then rest = rank .. ("x"):rep(30) end
      assert.are.equal(rank .. ("x"):rep(30), rest)
      count[rank] = (count[rank] or 0) + 1
    end
    assert.are.same({["0"] = 201, ["1"] = 201, ["2"] = 201}, count)
  end)

  it("shows the first failure last, once and whole, and ends the others", function()
    local path = script [[
if os.getenv "RANK" == "1" then torch.ones(2, 3):mm(torch.ones(2, 3)) end
os.execute "sleep 50"]]
    local out, err, code = launch("3 " .. path)
    assert.are.same({1, ""}, {code, out})
    local _, count = err:gsub("cannot be multiplied", "")
    assert.are.equal(1, count)
    assert.truthy(err:find "2 others were ended by the launcher%.\nFirst failure: rank 1 %(local rank 1, [^\n]*%) ended with exit code 1\n")
    assert.truthy(err:find "hint: the last size of the first")
    assert.truthy(err:find "script%.lua:1: in main chunk\n[^\n]*\n$")
  end)

  it("gives a line to each process that falls with the first one", function()
    local path = script [[
if os.getenv "RANK" == "0" then error("the cause", 0) end
os.execute "sleep 0.3"
torch._raise("DistBackendError", "rank 0 is gone")]]
    local _, err = launch("2 " .. path)
    assert.truthy(err:find "^These fell with it:\n  rank 1 %(process %d+%) ended with exit code 1: rank 0 is gone\nFirst failure: rank 0 ")
  end)

  it("does not take a consequence for the cause", function()
    local path = script [[
if os.getenv "RANK" == "0" then torch._raise("DistBackendError", "rank 1 is gone") end
os.execute "sleep 0.3"
error "the cause"]]
    local _, err = launch("2 " .. path)
    assert.truthy(err:find "First failure: rank 1 ")
  end)

  it("names the signal that killed a process", function()
    local _, err, code = launch("2 " .. script 'os.execute(os.getenv "RANK" == "1" and "kill -9 $PPID" or "sleep 50")')
    assert.are.equal(1, code)
    assert.truthy(err:find "First failure: rank 1 [^\n]* was killed by signal 9 %(SIGKILL%)\n$")
  end)

  -- The control group is files in a name space of mounts.
  for version, files in pairs{v2 = {"", "memory.events", "memory.max"}, v1 = {"/memory", "memory.oom_control", "memory.limit_in_bytes"}} do
    local section = os.execute "unshare -m true 2>/dev/null" and it or pending
    section("names the limit of memory that killed a process, of control groups " .. version, function()
      local path = script("[ $RANK = 0 ] && sleep 50; echo oom_kill 1 >/sys/fs/cgroup$1/$2; kill -9 $$", "memory.sh")
      local outer = script(("mount -t tmpfs none /sys/fs/cgroup && mkdir -p /sys/fs/cgroup$1 && cd /sys/fs/cgroup$1 && echo oom_kill 0 >$2 && " ..
        "echo 2147483648 >$3 && cd %s && exec %s --nproc 2 sh %s \"$@\""):format(quote(lfs.currentdir()), quote(programs.tocha), path), "outer.sh")
      local _, err = call(("unshare -m sh %s '%s' %s %s"):format(outer, table.unpack(files)))
      assert.truthy(err:find("was killed by signal 9 (SIGKILL) by the system: the limit of memory of 2.0 GiB is reached", 1, true), err)
    end)
  end

  it("repeats the last words of another program only if they do not stand last", function()
    local _, err = launch "2 sh -c 'echo why >&2; test $RANK = 0 && sleep 0.5 && echo later >&2; exit 4'"
    assert.truthy(err:find "First failure: rank 1 [^\n]* ended with exit code 4\n  the end of its stderr:\n  why\n$")
    _, err = launch "1 sh -c 'echo why >&2; exit 4'"
    assert.truthy(err:find "^why\nFirst failure: rank 0 [^\n]* ended with exit code 4\n$")
  end)

  it("says that a program is not there", function()
    local _, err, code = launch "2 --no-python /no/such/program"
    assert.are.equal(1, code)
    assert.truthy(err:find "First failure: rank 0 [^\n]* cannot be started: '/no/such/program': No such file or directory\n$")
  end)

  it("starts all again after a failure, as often as is allowed", function()
    local path = script [[
print(os.getenv "TORCHELASTIC_RESTART_COUNT")
if os.getenv "TORCHELASTIC_RESTART_COUNT" ~= "2" and os.getenv "RANK" == "1" then os.exit(3) end]]
    local out, _, code = run("--nproc-per-node 2 --max-restarts 2 --no-python " .. programs.tocha .. " " .. path)
    assert.are.same({0, 2}, {code, select(2, out:gsub("%] 2\n", ""))})
    local _, err, failed = run("--nproc-per-node 2 --max-restarts 1 --no-python " .. programs.tocha .. " " .. path)
    assert.are.same({1, 2}, {failed, select(2, err:gsub("First failure", ""))})
  end)

  it("writes files as torchrun does", function()
    local logs = folder .. "/logs"
    local out, err = run(("--nproc-per-node 2 --log-dir %s -r 1:1 -t 0:3 --no-python sh -c 'echo out $RANK; echo err $RANK >&2'"):format(logs))
    assert.are.same({{"[0] out 0"}, {"[0] err 0", "[1] err 1"}}, {lines(out), lines(err)})
    local files = {}
    for line in programs.output(("cd %s/* && grep -r . ."):format(logs)):gmatch "[^\n]+" do files[#files + 1] = line end
    table.sort(files)
    assert.are.same({"./attempt_0/0/stderr.log:err 0", "./attempt_0/0/stdout.log:out 0", "./attempt_0/1/stdout.log:out 1"}, files)
  end)

  it("keeps an error in the files, too", function()
    local logs = folder .. "/logs_of_errors"
    local _, err = run(("--nproc-per-node 2 --log-dir %s -r 2 %s"):format(logs, script 'if os.getenv "RANK" == "1" then error("why", 0) end'))
    assert.truthy(err:find "\n  why\n")
    assert.truthy(programs.output(("cat %s/*/attempt_0/1/stderr.log"):format(logs)):find "^why\nstack traceback")
    assert.truthy(programs.output(("cat %s/*/attempt_0/1/error.json"):format(logs)):find '"message"')
  end)

  it("leaves the errors of programs that its processes start to them", function()
    local inner = script("error 'inner'", "inner.lua")
    local out, err, code = launch(("2 %s"):format(script(("local pipe = io.popen '%s %s 2>&1' print((pipe:read()))"):format(programs.tocha, inner))))
    assert.are.same({0, ""}, {code, err})
    assert.truthy(out:find "%[0%] [^\n]*inner%.lua:1: inner\n")
  end)

  it("goes on reading while a process writes without end", function()
    local started = os.time()
    os.execute(("timeout %d %s --nproc 2 sh -c 'test $RANK = 0 && exec yes; sleep 1; exit 3' >/dev/null 2>&1"):format(DEADLINE, programs.tocha))
    assert.is_true(os.time() - started < 20)
  end)

  it("shows the streams of some processes only", function()
    assert.are.equal("[1] 1\n", run "--nproc-per-node 3 --local-ranks-filter 1 --no-python sh -c 'echo $RANK'")
  end)

  it("gives a standard input that is no terminal to the first process", function()
    assert.are.same({"[0] text", "[1] "}, lines((launch("2 sh -c 'echo $(cat)'", "echo text |"))))
  end)

  for signal, code in pairs {INT = 130, TERM = 143} do
    it("ends all by one SIG" .. signal, function()
      local word = ("mark-%d-%s"):format(os.time(), signal)
      local path = script "while true do end"
      local started = os.time()
      os.execute(("timeout --foreground -s %s 1 %s --nproc 2 %s %s >%s/out 2>&1; echo $? >%s/code"):format(signal, quote(programs.tocha), path,
        word, folder, folder))
      assert.are.equal("124\n", read(folder .. "/code"))   -- that timeout has sent it
      local _, _, own = os.execute(("sh -c '%s --nproc 2 %s %s >/dev/null 2>&1 & sleep 1; kill -%s $!; wait $!'"):format(programs.tocha, path,
        word, signal == "INT" and "HUP" or signal))
      assert.are.equal(signal == "INT" and 129 or code, own)
      assert.is_true(os.time() - started < 20)
      assert.are.equal(0, count_of(word))
    end)
  end

  it("passes on a signal that --signals-to-handle names", function()
    local path = script("trap 'echo told; exit 3' USR1; echo ready; while :; do sleep 0.1; done", "told.sh")
    local log = script("", "told")   -- it is there before the launcher writes
    local pipe = io.popen(("%s --nproc 2 --signals-to-handle SIGTERM,SIGUSR1 sh %s >%s 2>&1 & echo $!; wait $!; echo $?"):format(programs.tocha, path, log))
    local launcher = pipe:read "n"
    local is_ready = soon(function() return select(2, read(log):gsub("ready", "")) == 2 end)
    os.execute(("kill -%s %d"):format(is_ready and "USR1" or "KILL", launcher))
    assert.is_true(is_ready)
    assert.are.equal(128 + 10, pipe:read "n")
    pipe:close()
    assert.are.equal(2, select(2, read(log):gsub("told", "")))
  end)

  it("kills processes that do not want to end", function()
    local word = ("stubborn-%d"):format(os.time())
    local path = script("trap '' TERM INT; while :; do sleep 0.1; done", "stubborn.sh")
    os.execute(("sh -c '%s --nproc 2 --shutdown-timeout 1 sh %s %s & sleep 1; kill -TERM $!; wait $!'"):format(programs.tocha, path, word))
    assert.are.equal(0, count_of(word))
  end)

  it("leaves nothing behind when it is killed with signal 9, not even what its processes have started", function()
    local word = ("orphan-%d"):format(os.time())
    local inner = script("sleep 50", "inner.sh")
    local path = script(("os.execute 'sh %s %s & true' os.execute 'sh %s %s'"):format(inner, word, inner, word))
    local pipe = io.popen(("%s --nproc 2 %s %s >/dev/null 2>&1 & echo $!"):format(programs.tocha, path, word))
    local launcher = pipe:read "n"
    pipe:close()
    local have_begun = soon(function() return count_of(inner) >= 4 end)
    os.execute(("kill -9 %d"):format(launcher))
    assert.is_true(have_begun)
    assert.is_true(soon(function() return count_of(word) == 0 end))
  end)

  it("ends what a process leaves behind", function()
    local word = ("left-%d"):format(os.time())
    launch(("2 sh -c 'sh -c \"sleep 50; : %s\" & exit 0'"):format(word))
    assert.are.equal(0, count_of(word))
  end)

  it("does not try again what failed with an error before the group stood", function()
    local _, err, code = run(("--nproc-per-node 2 --max-restarts 3 %s"):format(script 'error "a wrong setting"'))
    assert.are.same({1, 1}, {code, select(2, err:gsub("First failure", ""))})
  end)

  it("explains a wrong command line", function()
    local mistakes = {
      ["--no-such-option x"] = "unrecognized option '--no-such-option'",
      ["--nproc-per-node"] = "argument --nproc-per-node: expected one argument",
      [""] = "the following arguments are required: training_script",
      ["--nproc-per-node tpu x"] = "Unsupported nproc_per_node value: tpu",
      ["--nnodes 3:1 x"] = "min_nodes must be > 0 and <= max_nodes, got min_nodes=3, max_nodes=1",
      ["--nnodes a:b:c x"] = 'nnodes=a:b:c is not in "MIN:MAX" format',
      ["-m package"] = "-m names a module of Python's",
      ["--max-restarts many x"] = "argument --max-restarts: invalid int value: 'many'",
      ["--signals-to-handle SIGTERM,SIGKILL x"] = "argument --signals-to-handle: 'SIGKILL' is no signal that can be handled",
      ["--numa-binding node x"] = "--numa-binding is torchrun's alone: numactl",
      ["--local-ranks-filter a x"] = "--local_ranks_filter must be a comma-separated list of integers",
    }
    for words, message in pairs(mistakes) do
      local _, err, code = run(words)
      assert.are.equal(2, code, words)
      assert.truthy(err:find(message, 1, true), err)
      assert.truthy(err:find("\nhint: ", 1, true), err)
    end
  end)

  it("starts and ends four processes in less than a second", function()
    local best = math.huge
    local path = script "torch.ones(2)"
    for _ = 1, 3 do
      local pipe = io.popen(("bash -c 'TIMEFORMAT=%%R; time %s --nproc 4 %s' 2>&1"):format(programs.tocha, path))
      best = math.min(best, pipe:read "n")
      pipe:close()
    end
    assert.is_true(best < 1, best)
  end)

  describe("of several machines", function()
    local port = 20000 + os.time() % 9000

    -- Runs command lines at once, the later ones `pause` seconds after each other, and returns their outputs and exit codes.
    local function together(commands, pause)
      local text, outputs, codes = {}, {}, {}
      for i, command in ipairs(commands) do
        text[i] = ("(timeout %d %s/tocharun %s >%s/out%d 2>&1; echo $? >%s/code%d) & sleep %g"):format(DEADLINE, quote(programs.folder), command,
          folder, i, folder, i, pause or 0)
      end
      os.execute(table.concat(text, "\n") .. "\nwait")
      for i = 1, #commands do
        outputs[i], codes[i] = read(("%s/out%d"):format(folder, i)), tonumber(read(("%s/code%d"):format(folder, i)))
      end
      return outputs, codes
    end

    local function next_port()
      port = port + 1
      return port
    end

    it("assigns ranks in the order of --node-rank", function()
      local path = script 'print(os.getenv "WORLD_SIZE", os.getenv "GROUP_RANK", os.getenv "LOCAL_RANK")'
      local common = ("--nnodes 2 --master-addr 127.0.0.1 --master-port %d"):format(next_port())
      local outputs, codes = together {common .. " --node-rank 1 --nproc-per-node 2 " .. path, common .. " --nproc-per-node 1 " .. path}
      assert.are.same({0, 0}, codes)
      assert.are.same({{"[1] 3\t1\t0", "[2] 3\t1\t1"}, {"[0] 3\t0\t0"}}, {lines(outputs[1]), lines(outputs[2])})
    end)

    it("says who did not come", function()
      local _, err, code = run(("--nnodes 3 --master-addr 127.0.0.1 --master-port %d --rdzv-conf join_timeout=0.5 true"):format(next_port()))
      assert.are.equal(1, code)
      assert.truthy(err:find("machines that did not come within 0.5 s: --node-rank 1, 2 of 3", 1, true), err)
      _, err, code = run(("--nnodes 2 --node-rank 1 --master-addr 127.0.0.1 --master-port %d --rdzv-conf join_timeout=0.5 true"):format(next_port()))
      assert.are.equal(1, code)
      assert.truthy(err:find("no launcher serves 127.0.0.1:", 1, true), err)
    end)

    it("shows a failure where it happened, and its line elsewhere, and starts all again", function()
      local path = script [[
local round, rank = os.getenv "TORCHELASTIC_RESTART_COUNT", os.getenv "RANK"
if round == "0" and rank == "1" then os.exit(5) end
if round == "0" then while true do end end
print(round)]]
      local common = ("--nnodes 2 --rdzv-backend c10d --rdzv-endpoint 127.0.0.1:%d --max-restarts 1 %s"):format(next_port(), path)
      local outputs, codes = together {common, common}
      assert.are.same({0, 0}, codes)
      local all = outputs[1] .. outputs[2]
      assert.are.equal(2, select(2, all:gsub("Restart 1 of 1", "")))
      assert.truthy(all:find "First failure: rank 1 %([^\n]*%) ended with exit code 5\nRestart")
      assert.are.equal(2, select(2, all:gsub("%] 1\n", "")))
    end)

    it("starts a new round if a machine comes or is gone", function()
      local path = script [[
print(os.getenv "WORLD_SIZE")
io.stdout:flush()
local start = os.time()
while os.time() - start < 4 do end]]
      local common = ("--nnodes 1:2 --rdzv-backend c10d --rdzv-endpoint 127.0.0.1:%d --rdzv-conf last_call_timeout=0.3,keep_alive_timeout=1.5 %s")
        :format(next_port(), path)
      local command = ("%s/tocharun %s"):format(quote(programs.folder), common)
      os.execute(("sh -c 'sleep 1; %s >%s/other 2>&1 & sleep 2.5; kill -9 $!' &"):format(command, folder))
      local out, err, code = call(command)
      assert.are.equal(0, code)
      local sizes = {}
      for size in out:gmatch "%] (%d)\n" do sizes[#sizes + 1] = size end
      assert.are.same({"1", "2", "1"}, sizes)
      assert.truthy(err:find "A new round: a machine came%.\n")
      assert.truthy(err:find "A new round: [^\n]* is gone%.\n")
    end)

    it("are started by ssh, and end with the first launcher", function()
      local bin = folder .. "/bin"
      os.execute("mkdir -p " .. bin)
      programs.write(bin .. "/ssh", "#!/bin/sh\nwhile [ \"$1\" = -o ]; do shift 2; done\nshift\nexec sh -c \"$*\"\n")
      os.execute("chmod +x " .. bin .. "/ssh")
      local path = script 'print(os.getenv "WORLD_SIZE", arg[1])'
      local before = ("env PATH=%s:$PATH"):format(bin)
      local out, err, code = launch("2 --hosts 127.0.0.1,192.0.2.1 " .. path .. ' "a b"', before)
      assert.are.same({0, "", {"[0] 4\ta b", "[1] 4\ta b", "[2] 4\ta b", "[3] 4\ta b"}}, {code, err, lines(out)})
      local word = ("far-%d"):format(os.time())
      os.execute(("sh -c '%s %s --nproc 1 --hosts 127.0.0.1,192.0.2.1 %s %s >/dev/null 2>&1 & sleep 1; kill -TERM $!; wait $!'"):format(before,
        programs.tocha, script "while true do end", word))
      assert.are.equal(0, count_of(word))
    end)
  end)

  describe("of a group", function()
    local gloo = programs.run "print((torch.distributed.is_gloo_available()))" == "true\n"
    local group = gloo and it or pending
    local program = [[
local dist = torch.distributed
dist.init_process_group "gloo"
local rank, attempt = dist.get_rank(), os.getenv "TORCHELASTIC_RESTART_COUNT"
local t = torch.ones(3) * (rank + 1)
dist.all_reduce(t)
if rank == 1 and attempt == "0" then os.execute "kill -9 $PPID" end
dist.all_reduce(t)
print(attempt, t:sum():item())
dist.destroy_process_group()]]

    group("serves the store of its processes", function()
      local out, _, code = launch("3 " .. script(program:gsub('"0" then', '"x" then')))
      assert.are.same({0, {"[0] 0\t54.0", "[1] 0\t54.0", "[2] 0\t54.0"}}, {code, lines(out)})
    end)

    group("names the rank that died, and starts all again", function()
      local out, err, code = run("--nproc-per-node 2 --max-restarts 1 " .. script(program))
      assert.are.same({0, {"[0] 1\t18.0", "[1] 1\t18.0"}}, {code, lines(out)})
      assert.truthy(err:find "  rank 0 %(process %d+%) ended with exit code 1: Rank 1 [^\n]*was killed by signal 9")
      assert.truthy(err:find "First failure: rank 1 [^\n]* was killed by signal 9 %(SIGKILL%)\nRestart 1 of 1%.\n$")
    end)

    group("tries again what failed with an error after the group stood", function()
      local text = program:gsub('os.execute "kill %-9 $PPID"', 'error "once"')
      local out, err, code = run("--nproc-per-node 2 --max-restarts 1 " .. script(text))
      assert.are.same({0, {"[0] 1\t18.0", "[1] 1\t18.0"}}, {code, lines(out)})
      assert.truthy(err:find "First failure: rank 1 [^\n]*\n  [^\n]*once\n")
    end)

    local with_torchrun = gloo and os.execute(torchrun .. " --help >/dev/null 2>&1") and it or pending
    with_torchrun("meets in torchrun's store, too (TORCHRUN names it)", function()
      local out, _, code = call(("%s --nproc-per-node 2 --no-python %s %s"):format(torchrun, programs.tocha,
        script(program:gsub('"0" then', '"x" then'))))
      assert.are.same({0, {"0\t18.0", "0\t18.0"}}, {code, lines(out)})
    end)
  end)

  for _, mpirun in ipairs {"mpirun.openmpi", "mpirun.mpich"} do
    local has = os.execute(("command -v %s >/dev/null"):format(mpirun))
    local test = has and it or pending
    test("lets " .. mpirun .. " start the processes", function()
      local path = script 'print(os.getenv "RANK", os.getenv "WORLD_SIZE", os.getenv "TOCHA_BACKEND")'
      local out, err, code = launch("2 --mpi " .. path,
        "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 TOCHA_MPIRUN=" .. mpirun)
      assert.are.equal(0, code, err)
      assert.truthy(out:find "0\t2\tmpi\n" and out:find "1\t2\tmpi\n", out)
    end)
  end

  it("reads the place that Slurm gives to a process", function()
    local out = programs.run([[
for _, name in ipairs {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"} do io.write(os.getenv(name), " ") end]],
      "env SLURM_PROCID=3 SLURM_NTASKS=8 SLURM_LOCALID=1 SLURM_JOB_ID=123456 SLURM_STEP_NODELIST='gpu[007-012,20]-x,b'")
    assert.are.equal("3 8 1 gpu007-x 23456 ", out)
  end)

  local has_torchrun = os.execute(torchrun .. " --help >/dev/null 2>&1")
  local exchange = has_torchrun and it or pending
  exchange("tells torchrun why a script fails (TORCHRUN names it)", function()
    local path = script 'if os.getenv "RANK" == "1" then torch.ones(2, 3):mm(torch.ones(2, 3)) end os.execute "sleep 20"'
    local _, err, code = call(("%s --nproc-per-node 2 --no-python %s %s"):format(torchrun, programs.tocha, path))
    assert.are.equal(1, code)
    assert.truthy(err:find("Root Cause.*traceback : mm: mat1 and mat2 shapes cannot be multiplied %(2x3 and 2x3%)"))
  end)
end)
