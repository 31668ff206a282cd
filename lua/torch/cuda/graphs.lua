-- cuda/graphs.lua: CUDA graphs: work that is captured once and replayed by one call, and pools of memory. The names are those
-- of torch.cuda.
local torch = ...
local support = torch._part "support"
local driver, define = torch._cuda, torch._define
local graphs = {}

-- --- pools -------------------------------------------------------------------------------------------

-- The handle of a pool, {0, number} as in PyTorch.
local Handle = {}
Handle.__eq = function(a, b) return a[2] == b[2] end
Handle.__tostring = function(handle) return ("(%d, %d)"):format(handle[1], handle[2]) end

local function handle_of(number) return setmetatable({0, number}, Handle) end

-- Returns the number of a pool that is given by its handle, a MemPool or nil (0).
local function number_of(pool)
  if pool == nil then return 0 end
  local handle = type(pool) == "table" and (pool.id or pool)
  if type(handle) ~= "table" or math.type(handle[2]) ~= "integer" then
    support.fail("TypeError", "pool must be a handle of graph_pool_handle() or graph:pool(), or a torch.cuda.MemPool")
  end
  return handle[2]
end

--- Returns the handle of a new pool, for captures that share memory.
function graphs.graph_pool_handle() return handle_of(driver.new_pool()) end

local MemPool = {}
MemPool.__index = MemPool
MemPool.__name = "MemPool"
MemPool.__tostring = function(pool) return ("<torch.cuda.MemPool id=%s>"):format(pool.id) end

--- Returns how many use the pool: this object, graphs whose memory it has, blocks of use_mem_pool that are open.
function MemPool:use_count() return driver.pool_users(self.id[2]) end

--- Returns the segments of the pool, as torch.cuda.memory_snapshot does.
MemPool.snapshot = define("MemPool.snapshot(self, include_traces=true)", function(pool, include_traces)
  return torch.cuda.memory_snapshot(pool.id, include_traces)
end)

--- Creates a pool of memory on the current GPU, for torch.cuda.use_mem_pool and captures. pool.id is its handle.
-- use_on_oom: its free memory serves other allocations that would fail without it. no_split: a segment serves one
-- allocation at a time. An allocator of one's own is not supported.
graphs.MemPool = define("MemPool(allocator?, use_on_oom=false, no_split=false)", function(allocator, use_on_oom, no_split)
  if allocator ~= nil then
    torch._raise("NotImplementedError", "MemPool: allocator is not supported", "a pool takes its memory as everything else does")
  end
  local number = driver.new_pool()
  return setmetatable({id = handle_of(number), _held = driver.hold_pool(number, use_on_oom, no_split)}, MemPool)
end)

-- Splits a function in last place from the arguments before it.
local function split(...)
  local args = table.pack(...)
  local fn = type(args[args.n]) == "function" and args[args.n] or nil
  return fn, table.unpack(args, 1, fn and args.n - 1 or args.n)
end

local use_arguments = define "use_mem_pool(pool, device?)"

--- torch.cuda.use_mem_pool(pool[, device][, fn]) takes memory from the pool within the block.
function graphs.use_mem_pool(...)
  local function enter(fn, ...)
    local a = use_arguments(...)
    return fn, driver.enter_pool(number_of(a.pool), a.device ~= nil and driver.index(a.device) or nil)
  end
  local fn, guard = enter(split(...))
  if not fn then return guard end
  local _ <close> = guard
  return fn()
end

-- --- graphs ------------------------------------------------------------------------------------------

local CUDAGraph = driver.graph_methods

CUDAGraph.capture_begin = define("CUDAGraph.capture_begin(self, pool?, capture_error_mode='global')", function(graph, pool, mode)
  graph:_begin(number_of(pool), mode)
end)

--- Returns the handle of the graph's pool, for captures that share its memory.
function CUDAGraph:pool()
  local number = self:_pool()
  if number == 0 then support.fail("RuntimeError", "Called CUDAGraph::pool() without a preceding successful capture.") end
  return handle_of(number)
end

CUDAGraph.debug_dump = define("CUDAGraph.debug_dump(self, debug_path)", function(graph, path) graph:_dump(path) end)

--- Accepts a generator that the capture draws from. All are known to a graph without it.
CUDAGraph.register_generator_state = define("CUDAGraph.register_generator_state(self, state)", function(_, generator)
  if generator.device.type ~= "cuda" then support.fail("RuntimeError", "a graph draws from generators of GPUs only") end
end)

--- Creates a graph without work. keep_graph: the capture stays as it was recorded, for debug_dump and instantiate.
graphs.CUDAGraph = define("CUDAGraph(keep_graph=false)", driver.new_graph)

--- Returns true if work of the current stream is being captured.
graphs.is_current_stream_capturing = driver.is_current_stream_capturing

-- A block whose work is captured. Closing it ends the capture; if an error leaves the block, nothing is kept.
local Capture = {}

function Capture.__close(self, failure)
  if not self.graph then return end
  local graph, stream = self.graph, self.stream
  self.graph = nil
  local _ <close> = stream
  if failure == nil then return graph:capture_end() end
  graph:reset()
end

function Capture:__gc()
  if self.graph then self.graph:reset() end
end

local capture_streams = {}   -- by GPU
local arguments = define "graph(cuda_graph, pool?, stream?, capture_error_mode='global')"

local function begin(fn, ...)
  local a = arguments(...)
  local device = driver.current_device()
  if not a.stream and not capture_streams[device] then capture_streams[device] = driver.new_stream() end
  driver.synchronize()
  driver.empty_cache()
  local stream = driver.enter_stream(a.stream or capture_streams[device])
  local capture = setmetatable({stream = stream}, Capture)
  local ok, problem = pcall(a.cuda_graph.capture_begin, a.cuda_graph, a.pool, a.capture_error_mode)
  if not ok then
    local _ <close> = stream
    error(problem, 0)
  end
  capture.graph = a.cuda_graph
  return fn, capture
end

--- torch.cuda.graph(g[, {pool, stream, capture_error_mode}][, fn]) captures the work of the block into g, on a stream of its
--- own.
function graphs.graph(...)
  local fn, capture = begin(split(...))
  if not fn then return capture end
  local _ <close> = capture
  return fn()
end

return graphs
