-- utils/data/workers.lua: one pass over the data with workers (worker.lua). Indices are drawn here, in the sampler's order, and
-- sent to the workers in turn. Batches are given in that order, whichever arrives first.
local torch = ...
local support = torch._part "support"
local draw_seed, fetch = torch._part "utils.data.draw_seed", torch._part "utils.data.fetch"
local fail = support.fail

local workers = {}
local LABELS = {"default_dtype", "digits", "options", "dataset", "collate_fn", "worker_init_fn"}
local LOOK = 0.1 -- seconds between two checks of Ctrl-C and the clock

-- Crews whose pass has not ended. An unreachable one ends when it is collected.
local unfinished = setmetatable({}, {__mode = "k"})

-- Starts the loader's workers, which wait for enlist. Returns nil if their threads do not start.
local function new_crew(loader)
  if next(unfinished) then collectgarbage() end -- loops that were left early
  local options = {batch_sampler = loader.batch_sampler and true or false, drop_last = loader.drop_last, stream = loader.stream,
    pinning = loader.pinning}
  local count = loader.num_workers
  local pool = torch._workers(count, LABELS, torch.get_default_dtype(), torch.backends.cpu.digits, options, loader.dataset,
    loader.collate_fn, loader.worker_init_fn)
  return pool and {pool = pool, count = count, pass = 0}
end

-- Tells each worker of a new crew its number and its seed.
local function enlist(crew, base_seed)
  for id = 0, crew.count - 1 do crew.pool:give(id, id, crew.count, base_seed, package.path, package.cpath) end
end

-- Returns the next of the workers that have more to give.
local function choose(self)
  local active, maximum = 0, self.prefetch_factor * self.crew.count
  for id = 0, self.crew.count - 1 do
    if self.active[id] then active = active + 1 end
  end
  for _ = 1, self.crew.count do
    local id = self.turn
    self.turn = (id + 1) % self.crew.count
    if self.active[id] and (self.in_order or self.tasks[id] < maximum // active) then return id end
  end
end

local function send(self)
  local index = self.indices()
  if index == nil then return end
  local id = choose(self)
  if not id then return end
  self.crew.pool:give(id, self.number, self.sent, index)
  self.info[self.sent] = {worker = id}
  self.tasks[id] = self.tasks[id] + 1
  self.sent = self.sent + 1
end

-- Waits for a worker's result of this pass and returns it: {number of the pass, number of the task, kind, values...}.
local function receive(self)
  local timeout = self.timeout
  local deadline = timeout > 0 and torch._clock() + timeout
  while true do
    local wait = deadline and math.max(0, math.min(LOOK, deadline - torch._clock())) or LOOK
    local result = table.pack(self.crew.pool:get(wait))
    if result.n > 0 and result[1] == self.number then return result end -- else the result is of a pass that was left
    if deadline and torch._clock() >= deadline then
      fail("RuntimeError", "DataLoader timed out after %s seconds", support.python(timeout))
    end
  end
end

local function process(self, id, result)
  self.tasks[id] = self.tasks[id] - 1
  send(self)
  if result[3] == "error" then torch._raise(result[4], result[5]) end
  return table.unpack(result, 4, result.n)
end

-- Skips tasks of workers whose stream has ended.
local function skip_ended(self)
  while self.received < self.sent do
    local task = self.info[self.received]
    if task and (task.result or self.active[task.worker]) then return end
    self.info[self.received] = nil
    self.received = self.received + 1
  end
end

local function finish(self)
  self.ended = true
  unfinished[self.crew] = nil
  if not self.persistent then self.crew.pool:stop() end
end

local function following(self)
  if self.ended or self.crew.pass ~= self.number then return nil end -- the same workers began another pass
  while true do
    skip_ended(self)
    if self.received >= self.sent then return finish(self) end
    local task = self.info[self.received]
    local number, result = self.received, task.result
    if not result then
      result = receive(self)
      number = result[2]
      task = self.info[number]
    end
    if result[3] == "end" then -- a worker sends this for each task that it still had
      if task and self.active[task.worker] then
        self.active[task.worker] = false
        send(self)
      end
    elseif self.in_order and number ~= self.received then
      task.result = result
    else
      self.info[number] = nil
      if number == self.received then self.received = number + 1 end
      return process(self, task.worker, result)
    end
  end
end

--- Starts a pass with the loader's workers, without its first `skipped` batches. Returns a function that gives batch after batch,
-- and one that ends the pass. Returns nil, and has drawn nothing, if the workers' threads do not start.
function workers.start(loader, skipped)
  if loader.prefetch_factor <= 0 then
    fail("AssertionError", "prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
  end
  local crew = loader.crew or new_crew(loader)
  if not crew then return nil end
  local indices = fetch.until_nil(support.values(loader.batch_sampler or loader.sampler))
  if crew.pass == 0 then enlist(crew, draw_seed(loader.generator)) end
  if loader.persistent_workers then loader.crew = crew end
  crew.pass = crew.pass + 1
  if not loader.persistent_workers then unfinished[crew] = true end
  local pass = {crew = crew, number = crew.pass, indices = indices, persistent = loader.persistent_workers, timeout = loader.timeout,
    in_order = loader.in_order, prefetch_factor = loader.prefetch_factor, sent = 0, received = 0, turn = 0, info = {}, active = {}, tasks = {}}
  for id = 0, crew.count - 1 do pass.active[id], pass.tasks[id] = true, 0 end
  if not loader.stream then
    for _ = 1, skipped do indices() end
  end
  for _ = 1, loader.prefetch_factor * crew.count do send(pass) end
  if loader.stream then
    for _ = 1, skipped do following(pass) end
  end
  return function() return following(pass) end, function()
    if not pass.ended then finish(pass) end
  end
end

return workers
