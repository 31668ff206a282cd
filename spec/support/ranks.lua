-- ranks.lua: runs a script in several processes that are the ranks of a world on this host.
--   local ended = require "ranks".run("script.lua", 3)      ended[1] is rank 0: {status = 0, output = "...", errors = "..."}
-- The store of the world is a server in this process, so no port can be taken by another program. A rank that does not end within its
-- seconds is killed: its status is 124 or 137.
local lfs = require "lfs"
local ranks = {}

local program = lfs.currentdir() .. "/" .. (os.getenv "TOCHA" or "build/tocha")
if (os.getenv "TOCHA" or ""):sub(1, 1) == "/" then program = os.getenv "TOCHA" end

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Returns a folder of its own for one run.
local function new_folder()
  local name = os.tmpname()
  os.remove(name)
  assert(lfs.mkdir(name))
  return name
end

--- Runs a script (a path, or a text with lines) on `size` ranks. options: seconds (20), environment (a table, or a function of the rank that
-- returns one). Returns a list of how each ended, and the seconds that all took.
function ranks.run(script, size, options)
  local torch = require "torch"
  options = options or {}
  local folder, commands = new_folder(), {}
  if script:find "\n" then
    local file <close> = assert(io.open(folder .. "/script.lua", "w"))
    file:write(script)
    script = folder .. "/script.lua"
  end
  local store = torch.distributed.TCPStore("127.0.0.1", 0, {is_master = true, wait_for_workers = false})
  for rank = 0, size - 1 do
    local environment = {RANK = rank, LOCAL_RANK = rank, WORLD_SIZE = size, LOCAL_WORLD_SIZE = size, MASTER_ADDR = "127.0.0.1", MASTER_PORT = store.port,
      TORCHELASTIC_USE_AGENT_STORE = "True", OMP_NUM_THREADS = 1}
    local own = options.environment
    if type(own) == "function" then own = own(rank) end
    for name, value in pairs(own or {}) do environment[name] = value end
    local words = {}
    for name, value in pairs(environment) do words[#words + 1] = name .. "=" .. quoted(tostring(value)) end
    commands[#commands + 1] = ("{ env %s timeout -k 1 %d %s %s >%s/%d.out 2>%s/%d.err; echo $? >%s/%d.status; } &"):format(
      table.concat(words, " "), options.seconds or 20, program, quoted(script), folder, rank, folder, rank, folder, rank)
  end
  local began = torch._clock()
  os.execute(table.concat(commands, "\n") .. "\nwait")
  local seconds, ended = torch._clock() - began, {}
  for rank = 0, size - 1 do
    local path = ("%s/%d."):format(folder, rank)
    ended[rank + 1] = {status = tonumber(read(path .. "status")), output = read(path .. "out"), errors = read(path .. "err")}
  end
  for name in lfs.dir(folder) do os.remove(folder .. "/" .. name) end
  lfs.rmdir(folder)
  return ended, seconds
end

return ranks
