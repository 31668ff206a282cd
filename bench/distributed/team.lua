-- team.lua: ranks that carry out commands (rank.lua), started by bench/distributed/table.lua.
local torch = require "torch"
local quoted = dofile "bench/measuring.lua".quoted
local team = {}
team.__index = team

local LIFE = 300   -- seconds, after which a rank that hangs is killed

local function make_fifo(path) assert(os.execute("mkfifo " .. quoted(path))) end

-- Returns the words of a command with these variables in its environment.
local function with(environment, command)
  local words = {}
  for name, value in pairs(environment) do words[#words + 1] = name .. "=" .. quoted(tostring(value)) end
  return ("env %s timeout -k 1 %d %s"):format(table.concat(words, " "), LIFE, command)
end

--- Starts a team. options: command, a rank's program; ranks (1); threads (1); mpirun, which starts the ranks; alone (true: no
--- group); host, the address of the store; interface, PyTorch's; enter, a list of what stands before each rank's command.
function team.start(folder, name, options)
  local t = setmetatable({name = name, folder = folder, inputs = {}, failed = false}, team)
  local prefix = ("%s/%s"):format(folder, name)
  local ranks, mpirun, host = options.ranks or 1, options.mpirun, options.host or "127.0.0.1"
  local common = {COMMANDS = prefix, ANSWERS = prefix .. ".answers", OMP_NUM_THREADS = options.threads or 1, BACKEND = mpirun and "mpi" or "gloo"}
  if not options.alone then
    t.store = torch.distributed.TCPStore(host, 0, {is_master = true, wait_for_workers = false})
    common.MASTER_ADDR, common.MASTER_PORT, common.TORCHELASTIC_USE_AGENT_STORE = host, t.store.port, "True"
    common.GLOO_SOCKET_IFNAME = options.interface
  end
  local function environment_of(rank)
    local variables = {}
    for variable, value in pairs(common) do variables[variable] = value end
    if not options.alone and not mpirun then variables.RANK, variables.WORLD_SIZE, variables.LOCAL_RANK = rank, ranks, rank end
    return variables
  end
  make_fifo(prefix .. ".answers")
  for rank = 0, ranks - 1 do
    make_fifo(("%s.%d"):format(prefix, rank))
    t.inputs[rank + 1] = assert(io.open(("%s.%d"):format(prefix, rank), "r+"))   -- also read here: no signal if the rank has ended
    if rank == 0 or not mpirun then
      local command = with(environment_of(rank), (mpirun and ("%s -n %d "):format(mpirun, ranks) or "") .. options.command)
      if options.enter then command = options.enter[rank + 1] .. " " .. command end
      -- rank 0's shell holds the FIFO of answers open: it ends with the rank, whatever that did
      local answers = rank == 0 and "3>" .. quoted(prefix .. ".answers") or ""
      os.execute(("{ %s; } %s >%s.%d.log 2>&1 </dev/null &"):format(command, answers, prefix, rank))
    end
  end
  t.answers = assert(io.open(prefix .. ".answers"))
  return t
end

--- Gives all ranks a command. Returns rank 0's answer, nil if the team has failed.
function team:ask(...)
  if self.failed then return nil end
  for _, input in ipairs(self.inputs) do input:write(table.concat({...}, " "), "\n"):flush() end
  local answer = self.answers:read "l"
  self.failed = not answer
  return tonumber(answer) or answer
end

--- Ends the ranks. Returns the last words of those that have failed, nil if none has.
function team:stop()
  for _, input in ipairs(self.inputs) do   -- a word, for other teams have inherited the FIFOs, so that they do not end
    input:write "leave\n"
    input:close()
  end
  self.answers:read "a"   -- rank 0 has ended
  self.answers:close()
  if not self.failed then return nil end
  local pipe <close> = io.popen(("tail -n 12 %s/%s.*.log"):format(self.folder, self.name))
  return pipe:read "a"
end

return team
