-- segments.lua: shared memory that MPI makes in /dev/shm, and leaves there if it is killed. The keepers note which of it is their rank's, while the
-- rank lives; the launcher removes it when all have ended. What another job has made is never touched: a file is removed if a rank has
-- mapped it, or if its name has the number that this job has for Open MPI.
--
-- Values in the store of the round: mpi/job: Open MPI's number of the job;  segments/RANK: [[name, number of the file], ...].
local torch = ...
local processes, json = torch._processes, torch._part "tools.json"

local segments = {}

local FOLDER = "/dev/shm/"

-- How names begin: Open MPI's, MPICH's, UCX's. Others that a rank maps are the script's.
local MADE_BY_MPI = {"^vader_segment%.", "^sm_segment%.", "^mpich_shar_tmp", "^ucx_shm_posix_"}

-- Seconds between two looks at a rank: at least, and as a part of its age. MPI makes nearly all as it starts.
local soonest, part = 0.05, 0.05

local function is_made_by_mpi(name)
  for _, pattern in ipairs(MADE_BY_MPI) do
    if name:find(pattern) then return true end
  end
  return false
end

--- Returns MPI's segments that a process has mapped and that still have a name: {[name] = number of the file}.
function segments.of(pid)
  local found = {}
  local maps = io.open(("/proc/%d/maps"):format(pid))
  if not maps then return found end
  for line in maps:lines() do
    local number, name = line:match(" (%d+) +" .. FOLDER .. "(.*)$")
    if name and is_made_by_mpi(name) and not name:find " %(deleted%)$" then found[name] = math.tointeger(number) end
  end
  maps:close()
  return found
end

--- Returns a function for a keeper to call all the time, which notes the segments of its rank.
function segments.keep_note(store, rank)
  local job = math.tointeger(tonumber(os.getenv "PMIX_NAMESPACE" or ""))   -- Open MPI 5 has words there
  if job then store:set("mpi/job", tostring(job)) end
  local list, known, started = {}, {}, processes.now()
  local next_look = started
  return function()
    local now = processes.now()
    if now < next_look or rank.ending then return end
    next_look = now + math.max(soonest, (now - started) * part)
    local count = #list
    for name, number in pairs(segments.of(rank.pid)) do
      if known[name] ~= number then list[#list + 1] = {name, number} end
      known[name] = number
    end
    if #list > count then pcall(store.set, store, "segments/" .. rank.rank, json.write(list)) end
  end
end

--- Removes what the ranks of a round have left. All of them have ended.
function segments.remove(store, ranks)
  for rank = 0, ranks - 1 do
    local name = "segments/" .. rank
    for _, segment in ipairs(store:check {name} and json.read(store:get(name)) or {}) do
      processes.remove_file(FOLDER .. segment[1], math.tointeger(segment[2]))
    end
  end
  if store:check {"mpi/job"} then
    local pattern = ("_segment.*.$(id -u).%x.*"):format(math.tointeger(store:get "mpi/job"))
    os.execute(("rm -f %svader%s %ssm%s"):format(FOLDER, pattern, FOLDER, pattern))
  end
end

return segments
