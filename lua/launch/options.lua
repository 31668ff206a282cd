-- options.lua: the options of `tocha --nproc` and `tocharun`, which are torchrun's.
local torch = ...
local processes = torch._processes
local options = {}

-- Every option: the name of its value, the default, and a line of help. `flag`: it has no value. `short`: one letter. `variable`: of the
-- environment, which has the default.
-- `hidden`: taken for torchrun's sake, without an effect. `refused`: torchrun's alone, and the reason.
local list = {
  {"nproc-per-node", "N|gpu|cpu|auto", "1", "processes on this machine (--nproc is the same)"},
  {"nnodes", "N|MIN:MAX", "1:1", "machines, or how few and how many there may be"},
  {"node-rank", "K", "0", "this machine's number, with --master-addr"},
  {"master-addr", "HOST", "127.0.0.1", "the machine of number 0"},
  {"master-port", "PORT", "29500", "its port; on one machine a free one is chosen"},
  {"rdzv-endpoint", "HOST[:PORT]", "", "where several machines meet; the launcher on HOST serves them"},
  {"rdzv-backend", "c10d|static", "static", "static: by --master-addr and --node-rank"},
  {"rdzv-id", "NAME", "none", "the job's name, the same on all machines"},
  {"rdzv-conf", "KEY=VALUE,...", "", "join_timeout, last_call_timeout, timeout: seconds"},
  {"standalone", nil, nil, "one machine, a free port", flag = true},
  {"max-restarts", "N", "0", "how often all start again after a failure"},
  {"hosts", "A,B", nil, "start this on several machines by ssh"},
  {"mpi", nil, nil, "let mpirun start the processes, and the backend be mpi", flag = true},
  {"log-dir", "DIR", nil, "the folder of log files"},
  {"redirects", "0-3|RANK:0-3,...", "0", "streams that go to log files: 1 output, 2 errors, 3 both", short = "r"},
  {"tee", "0-3|RANK:0-3,...", "0", "streams that go to log files, too", short = "t"},
  {"local-ranks-filter", "0,1,...", nil, "show these processes' streams only"},
  {"log-line-prefix-template", "TEXT", nil, "before each line: ${rank}, ${local_rank}, ${role_name}, ${hostname}"},
  {"trace-dir", "DIR", nil, "where ranks leave what they did last if one fails, or if this launcher gets SIGUSR1"},
  {"trace", "DIR", nil, "start nothing: tell what the ranks of an earlier run did last"},
  {"timeline", "FILE", nil, "with --trace: write a timeline for chrome://tracing or Perfetto"},
  {"role", "NAME", "default", "the role of the processes"},
  {"no-python", nil, nil, "run the program itself, whatever it is", flag = true},
  {"shutdown-timeout", "SECONDS", "30", "how long a process may take to end before it is killed", variable = "TORCH_ELASTIC_SHUTDOWN_TIMEOUT"},
  {"virtual-local-rank", nil, nil, "each process sees one GPU, as cuda:0", flag = true},
  {"local-addr", "HOST", nil, "this machine's address"},
  {"signals-to-handle", "NAMES", "SIGTERM,SIGINT,SIGHUP,SIGQUIT", "signals that end the processes; others than these are passed on as they are"},
  {"run-path", nil, nil, flag = true, hidden = true},
  {"monitor-interval", "SECONDS", "0.1", hidden = true},
  {"start-method", "METHOD", "spawn", hidden = true},
  {"event-log-handler", "NAME", "null", hidden = true},
  {"logs-specs", "NAME", nil, refused = "it names a class in Python. --redirects, --tee and --log-dir say where lines go"},
  {"numa-binding", "NAME", nil, refused = "numactl binds a process: --no-python numactl --cpunodebind=0 tocha script.lua"},
  {"duplicate-stdout-filters", "TEXT", nil, refused = "--tee 1 keeps all lines in files, which grep filters"},
  {"duplicate-stderr-filters", "TEXT", nil, refused = "--tee 2 keeps all lines in files, which grep filters"},
  {"print-completion", "SHELL", nil, refused = "it needs a package of Python's"},
  {"module", nil, nil, flag = true, hidden = true, short = "m"},
  {"help", nil, nil, "show this text and leave", flag = true, short = "h"},
}

local by_name, by_letter = {}, {}
for _, o in ipairs(list) do
  by_name[o[1]] = o
  if o.short then by_letter[o.short] = o end
end

local function fail(text, ...) error({usage = text:format(...)}, 0) end

-- Returns the option of a name, which may be written with _ and shortened.
local function find(name)
  name = name:gsub("_", "-")
  if by_name[name] then return by_name[name] end
  local found
  for _, o in ipairs(list) do
    if o[1]:sub(1, #name) == name then
      if found then fail("ambiguous option: --%s could match --%s, --%s", name, found[1], o[1]) end
      found = o
    end
  end
  return found
end

local function key_of(o) return (o[1]:gsub("-", "_")) end

--- Returns the text of --help.
function options.usage(program)
  local lines = {("usage: %s [options] script.lua [args], or any other program\n"):format(program)}
  for _, o in ipairs(list) do
    local name = "--" .. o[1] .. (o[2] and " " .. o[2] or "")
    if o.short then name = "-" .. o.short .. ", " .. name end
    if not o.hidden and not o.refused then lines[#lines + 1] = ("  %-36s %s\n"):format(name, o[4]) end
  end
  lines[#lines + 1] = "\ndocs/launching.md tells more.\n"
  return table.concat(lines)
end

-- Reads an option at argv[i]. Returns the option, its value, and the index after them; nil if argv[i] is no option.
local function read(argv, i)
  local text = argv[i]
  local letter, rest = text:match "^%-(%a)(.*)$"
  local name, value = text:match "^%-%-([%w_-]+)=(.*)$"
  local o
  if letter then
    o = by_letter[letter] or fail("unrecognized option '-%s'", letter)
    value = rest ~= "" and rest:gsub("^=", "") or nil
  else
    o = find(name or text:sub(3)) or fail("unrecognized option '%s'", text)
  end
  if o.refused then fail("--%s is torchrun's alone: %s", o[1], o.refused) end
  if o.flag then return o, true, i + 1 end
  if value then return o, value, i + 1 end
  if argv[i + 1] == nil then fail("argument --%s: expected one argument", o[1]) end
  return o, argv[i + 1], i + 2
end

-- Returns a whole number of at least `least`.
local function whole(o, name, least)
  local n = math.tointeger(tonumber(o[name]))
  if not n or n < least then fail("argument --%s: invalid int value: '%s'", name:gsub("_", "-"), o[name]) end
  return n
end

local function seconds(o, name)
  local n = tonumber(o[name])
  if not n or n < 0 then fail("argument --%s: invalid float value: '%s'", name:gsub("_", "-"), o[name]) end
  return n
end

--- Returns which streams of which local rank a text names: "3" or "0:1,1:2": f(local_rank) -> output, errors.
function options.streams(text, name)
  local all, some = text:match "^[0-3]$", {}
  if not all then
    for part in (text .. ","):gmatch "(.-)," do
      local rank, value = part:match "^(%d+):([0-3])$"
      if not rank then fail("argument --%s: '%s' is neither 0 to 3 nor RANK:0-3,...", name, text) end
      some[tonumber(rank)] = tonumber(value)
    end
  end
  return function(rank)
    local value = all and tonumber(all) or some[rank] or 0
    return value & 1 ~= 0, value & 2 ~= 0
  end
end

local function filter_of(text)
  if not text then return nil end
  local ranks = {}
  for part in (text .. ","):gmatch "(.-)," do
    local rank = math.tointeger(tonumber(part))
    if not rank then fail("--local_ranks_filter must be a comma-separated list of integers e.g. --local_ranks_filter=0,1,2") end
    ranks[rank] = true
  end
  return ranks
end

local function settings_of(text)
  local out = {}
  for part in text:gmatch "[^,]+" do
    local key, value = part:match "^([^=]+)=(.*)$"
    if not key then fail("argument --rdzv-conf: '%s' is not KEY=VALUE", part) end
    out[key] = value
  end
  return out
end

-- Returns the names of a list of signals.
local function signals_of(text)
  local names = {}
  for name in text:gmatch "[^,%s]+" do
    if processes.signal_number(name) == 0 or name:find "KILL$" then fail("argument --signals-to-handle: '%s' is no signal that can be handled", name) end
    names[#names + 1] = name
  end
  return names
end

-- Turns texts into what they mean.
local function understand(o)
  local least, most = o.nnodes:match "^(%d+):(%d+)$"
  if not least then least, most = o.nnodes, o.nnodes end
  o.min_nodes, o.max_nodes = math.tointeger(tonumber(least)), math.tointeger(tonumber(most))
  if not o.min_nodes or not o.max_nodes then fail('nnodes=%s is not in "MIN:MAX" format', o.nnodes) end
  if not (0 < o.min_nodes and o.min_nodes <= o.max_nodes) then
    fail("min_nodes must be > 0 and <= max_nodes, got min_nodes=%d, max_nodes=%d", o.min_nodes, o.max_nodes)
  end
  o.max_restarts, o.node_rank = whole(o, "max_restarts", 0), whole(o, "node_rank", 0)
  o.master_port = whole(o, "master_port", 0)
  o.shutdown_timeout = seconds(o, "shutdown_timeout")
  o.redirected, o.teed = options.streams(o.redirects, "redirects"), options.streams(o.tee, "tee")
  o.signals = signals_of(o.signals_to_handle)
  o.tells = not table.concat(o.signals, " "):find "SIGUSR1"   -- the launcher's own: it asks the ranks where they are
  if o.tells then table.insert(o.signals, "SIGUSR1") end
  o.shown = filter_of(o.local_ranks_filter)
  o.rdzv_conf = settings_of(o.rdzv_conf)
  if o.rdzv_backend ~= "static" and o.rdzv_backend ~= "c10d" then
    fail("argument --rdzv-backend: '%s' is neither c10d nor static", o.rdzv_backend)
  end
end

--- Returns the options of a command line by name (with _), `command`: the list of the program and its arguments, and
--- `given`: which options were given. Raises {usage = text}. environment: variables by name; PET_NNODES and the like are defaults.
function options.read(argv, environment)
  local o = {given = {}}
  for _, option in ipairs(list) do
    local key = key_of(option)
    local value = environment["PET_" .. key:upper()]
    if value and option.flag then value = value ~= "0" and value ~= "" end
    o[key] = value ~= nil and value or option.variable and environment[option.variable] or option[3]
    o.given[key] = value ~= nil
  end
  local i = 1
  while argv[i] and argv[i]:find "^%-." and argv[i] ~= "-e" do
    if argv[i] == "--" then
      i = i + 1
      break
    end
    local option, value, after = read(argv, i)
    o[key_of(option)], o.given[key_of(option)], i = value, true, after
  end
  o.command, o.options = table.move(argv, i, #argv, 1, {}), table.move(argv, 1, i - 1, 1, {})
  if o.help or o.trace then return o end
  if o.module then fail "-m names a module of Python's: give the path of a script, or --no-python python3 -m NAME" end
  if #o.command == 0 then fail "the following arguments are required: training_script" end
  understand(o)
  return o
end

return options
