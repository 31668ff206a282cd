-- environment.lua: the variables that a process finds, which are torchrun's.
local torch = ...
local processes = torch._processes

local environment = {}

local function threads_of(job) return math.max(1, processes.usable_processors() // job.local_size) end

-- Returns the list of visible GPUs of which a process gets its own.
local function own_gpu(rank)
  local list, number = {}, rank.local_rank
  for gpu in (os.getenv "CUDA_VISIBLE_DEVICES" or ""):gmatch "[^,]+" do list[#list + 1] = gpu end
  return list[number + 1] or tostring(number)
end

--- Returns the variables for a process as a list "NAME=VALUE".
function environment.of(job, round, rank)
  local all = {}
  for name, value in pairs(job.inherited) do all[name] = value end
  local own = {
    LOCAL_RANK = job.options.virtual_local_rank and 0 or rank.local_rank, RANK = rank.rank, GROUP_RANK = round.group_rank,
    ROLE_RANK = rank.rank, ROLE_NAME = job.options.role, LOCAL_WORLD_SIZE = job.local_size, WORLD_SIZE = round.world_size,
    GROUP_WORLD_SIZE = round.group_size, ROLE_WORLD_SIZE = round.world_size, MASTER_ADDR = round.address, MASTER_PORT = round.port,
    TORCHELASTIC_RESTART_COUNT = round.restarts, TORCHELASTIC_MAX_RESTARTS = job.options.max_restarts,
    TORCHELASTIC_RUN_ID = job.id, TORCHELASTIC_USE_AGENT_STORE = "True", TORCHELASTIC_ERROR_FILE = rank.error_path,
    TORCHELASTIC_SIGNALS_TO_HANDLE = job.options.signals_to_handle,
    TORCH_NCCL_ASYNC_ERROR_HANDLING = job.inherited.TORCH_NCCL_ASYNC_ERROR_HANDLING or 1,
    OMP_NUM_THREADS = job.inherited.OMP_NUM_THREADS or threads_of(job),
    PYTHONUNBUFFERED = job.inherited.PYTHONUNBUFFERED or 1,
    -- Tocha's own: where ranks leave what they did; errors are shown by the launcher, and lines are not held back
    TOCHA_TRACE_DIR = torch._part "launch.traces".folder(job, round), TOCHA_LAUNCHER = processes.process_number(),
  }
  if job.options.virtual_local_rank then own.CUDA_VISIBLE_DEVICES = own_gpu(rank) end
  for name, value in pairs(own) do all[name] = tostring(value) end
  local list = {}
  for name, value in pairs(all) do list[#list + 1] = name .. "=" .. value end
  return list
end

return environment
