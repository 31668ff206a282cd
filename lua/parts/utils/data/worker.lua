-- utils/data/worker.lua: the program of a worker of a DataLoader, which runs in a thread and a Lua state of its own. channel
-- (bindings/data/workers.c): get() waits for a task, give(...) sends a result, setup() returns what the loader passed to all its
-- workers.
local torch = ...
local support = torch._part "support"

local WorkerInfo = support.class("WorkerInfo", nil, "torch.utils.data._utils.worker")
function WorkerInfo:__tostring()
  return ("WorkerInfo(id=%d, num_workers=%d, seed=%d, dataset=%s, rng=None, worker_method='thread')"):format(self.id, self.num_workers,
    self.seed, tostring(self.dataset))
end

-- Returns an error as the loader raises it: its kind, its text, its stack.
local function describe(err)
  local torch_error = type(err) == "table" and err.traceback
  local kind = torch_error and err.code or "RuntimeError"
  local stack = torch_error and err.traceback or debug.traceback("", 2):gsub("^\n", "")
  local words = torch_error and err.message or tostring(err)
  return {kind = kind, text = ("%s\n%s: %s"):format(stack, kind, words)}
end

-- Returns the seed of np.random in a worker: the pool of numpy's SeedSequence over the number of the worker and the loader's
-- seed.
local function numpy_seed(base_seed, id)
  local WORD = 0xffffffff
  local pool, key = {id & WORD, base_seed & WORD, base_seed >> 32, 0}, 0x43b0d7e5
  local function hash(value, factor)
    value = value ~ key
    key = key * factor & WORD
    value = value * key & WORD
    return value ~ (value >> 16)
  end
  for i = 1, 4 do pool[i] = hash(pool[i], 0x931e8875) end
  for from = 1, 4 do
    for to = 1, 4 do
      if from ~= to then
        local mixed = (0xca01f9dd * pool[to] - 0x4973f715 * hash(pool[from], 0x931e8875)) & WORD
        pool[to] = mixed ~ (mixed >> 16)
      end
    end
  end
  key = 0x8b51f9dd
  for i = 1, 4 do pool[i] = hash(pool[i], 0x58f38ded) end
  return pool
end

local function prepare(channel, id, count, base_seed)
  local seed = base_seed + id
  torch.manual_seed(seed)
  math.randomseed(seed)
  torch._part "numpy.random_state".global:seed(numpy_seed(base_seed, id))
  local dtype, digits, task, dataset, collate_fn, worker_init_fn = channel:setup()
  task.dataset, task.collate_fn = dataset, collate_fn
  torch.set_default_dtype(dtype)
  torch.backends.cpu.digits = digits
  local info = WorkerInfo()
  info.id, info.num_workers, info.seed, info.dataset, info.worker_method = id, count, seed, task.dataset, "thread"
  rawset(torch, "_worker_info", info)
  if worker_init_fn then worker_init_fn(id) end
  return task
end

-- Sends the results of a fetch. The end of a stream is sent as "end".
local function give(channel, pass, number, stream, ...)
  if stream and (...) == nil then return channel:give(pass, number, "end") end
  return channel:give(pass, number, "batch", ...)
end

local function work(channel)
  local id, count, base_seed, path, cpath = channel:get()
  if not id then return end
  package.path, package.cpath = path, cpath
  local ready, task = xpcall(prepare, describe, channel, id, count, base_seed)
  local failure, current, fetch = not ready and task, nil, nil
  local function answer(pass, number, index)
    if pass ~= current then
      current, fetch = pass, nil
      fetch = torch._part "utils.data.fetch".of(task)
    end
    if task.pinning then return give(channel, pass, number, task.stream, torch._part "utils.data.pin"(fetch(index))) end
    return give(channel, pass, number, task.stream, fetch(index))
  end
  while true do
    local pass, number, index = channel:get()
    if not pass then return end
    local went, problem = not failure, failure
    if went then went, problem = xpcall(answer, describe, pass, number, index) end
    if not went then
      if channel:is_stopped() then return end
      channel:give(pass, number, "error", problem.kind,
        ("Caught %s in DataLoader worker process %d.\nOriginal %s"):format(problem.kind, id, problem.text))
    end
  end
end

return work
