-- cuda/init.lua: torch.cuda: the GPUs, their streams, events and memory. Without a GPU the queries return answers and work is an
-- error.
local torch = ...
local support = torch._part "support"
local driver, define = torch._cuda, torch._define
local cuda = {}

-- Returns the index of the GPU that an argument names: a number, "cuda:1", a device; nil for the current one.
local function index_of(device)
  if device == nil then return nil end
  local index = driver.index(device)
  return index >= 0 and index or nil
end

-- --- the GPUs ---------------------------------------------------------------------------------------

function cuda.device_count() return driver.device_count() end
function cuda.is_available() return driver.device_count() > 0 end
--- Returns the reason for the lack of a GPU as text, or "" if there is a GPU.
function cuda.reason() return driver.reason() end
function cuda.is_initialized() return driver.device_count() > 0 end
function cuda.init() driver.current_device() end
function cuda.current_device() return driver.current_device() end

local function set_device(device)
  local index = index_of(device)
  if index then driver.set_device(index) end
end
cuda.set_device = define("set_device(device)", set_device)

local Properties = {}
Properties.__index = Properties
function Properties.__tostring(p)
  return ("_CudaDeviceProperties(name='%s', major=%d, minor=%d, total_memory=%dMB, multi_processor_count=%d, uuid=%s, pci_bus_id=%d, "
    .. "pci_device_id=%d, pci_domain_id=%d, L2_cache_size=%dMB)"):format(p.name, p.major, p.minor, p.total_memory // 1048576,
    p.multi_processor_count, p.uuid, p.pci_bus_id, p.pci_device_id, p.pci_domain_id, p.L2_cache_size // 1048576)
end

local function properties_of(device)
  local index, count = type(device) == "number" and device or index_of(device) or 0, cuda.device_count()
  if count > 0 and (index < 0 or index >= count) then support.fail("AssertionError", "Invalid device id") end
  local properties = driver.properties(device)
  for name, value in pairs(driver.details(device)) do properties[name] = value end
  return setmetatable(properties, Properties)
end
cuda.get_device_properties = define("get_device_properties(device?)", properties_of)
cuda.get_device_name = define("get_device_name(device?)", function(device) return properties_of(device).name end)

--- Returns the major and minor number of the compute capability.
cuda.get_device_capability = define("get_device_capability(device?)", function(device)
  local p = properties_of(device)
  return p.major, p.minor
end)

--- Returns the targets that the kernels were compiled for: {"sm_80", "sm_90", "compute_90"}, or an empty table without a GPU.
function cuda.get_arch_list()
  local out = {}
  if cuda.is_available() then
    for name in driver.properties().architectures:gmatch "%S+" do out[#out + 1] = name end
  end
  return out
end
function cuda.is_bf16_supported()
  return cuda.is_available() and driver.properties().major >= 8
end

--- Returns true if products of float32 matrices may use TF32 on the current GPU.
function cuda.is_tf32_supported()
  return cuda.is_available() and driver.properties().major >= 8
end

--- Returns nvcc's options for the targets that the kernels were compiled for.
function cuda.get_gencode_flags()
  local out = {}
  for i, name in ipairs(cuda.get_arch_list()) do
    local kind, number = name:match "^(%a+)_(%w+)$"
    out[i] = kind and ("-gencode compute=compute_%s,code=%s_%s"):format(number, kind, number)
  end
  return table.concat(out, " ")
end
cuda.has_half = true
cuda.has_magma = false

--- Returns true if a GPU can read the memory of another.
cuda.can_device_access_peer = define("can_device_access_peer(device, peer_device)", function(device, peer_device)
  properties_of(device)
  local index, count = index_of(peer_device), cuda.device_count()
  if not index or index >= count then support.fail("AssertionError", "Invalid peer device id") end
  return driver.reaches(index_of(device), index)
end)

--- Waits for all work of a device.
cuda.synchronize = define("synchronize(device?)", function(device) driver.synchronize(index_of(device)) end)

-- --- blocks ------------------------------------------------------------------------------------------

--- torch.cuda.device(i[, fn]) makes "cuda" mean GPU i within the block.
function cuda.device(device, fn)
  local guard <const> = driver.enter_device(device)
  if not fn then return guard end
  local _ <close> = guard
  return fn()
end

--- torch.cuda.stream(s[, fn]) sends work to stream s (and its GPU) within the block; nil changes nothing.
function cuda.stream(stream, fn)
  local guard <const> = driver.enter_stream(stream)
  if not fn then return guard end
  local _ <close> = guard
  return fn()
end

cuda.StreamContext = cuda.stream

--- torch.cuda.device_of(t[, fn]) makes "cuda" mean the GPU of a tensor within the block; a tensor of the CPU changes nothing.
function cuda.device_of(tensor, fn) return cuda.device(tensor.is_cuda and tensor.device or nil, fn) end

-- --- streams and events --------------------------------------------------------------------------------

--- Creates a stream on a device (keywords device, priority: 0, or -1 for high).
cuda.Stream = define("Stream(device?, priority?)", function(device, priority)
  return driver.new_stream(index_of(device), priority)
end)

cuda.current_stream = define("current_stream(device?)", function(device) return driver.current_stream(index_of(device)) end)
cuda.default_stream = define("default_stream(device?)", function(device) return driver.default_stream(index_of(device)) end)
cuda.set_stream = define("set_stream(stream)", function(stream)
  if stream ~= nil then driver.set_stream(stream) end
end)

--- Creates an event, a point in a stream (keywords enable_timing, blocking, interprocess).
cuda.Event = define("Event(enable_timing=false, blocking=false, interprocess=false)", driver.new_event)

--- Returns the stream of a cudaStream_t, an integer, that another library made and keeps alive.
cuda.ExternalStream = define("ExternalStream(stream_ptr, device?)", function(address, device)
  return driver.external_stream(address, index_of(device))
end)
cuda.get_stream_from_external = define("get_stream_from_external(data_ptr, device?)", function(address, device)
  return driver.external_stream(address, index_of(device))
end)

local WAIT_MODES = {default = 0, warn = 1, error = 2, [0] = 0, [1] = 1, [2] = 2}

--- Sets what calls do that wait for a GPU without being told to (item, print, copies to the CPU): nothing (0, "default"), a warning
-- (1, "warn"), an error (2, "error").
cuda.set_sync_debug_mode = define("set_sync_debug_mode(debug_mode)", function(mode)
  driver.current_device()
  local number = WAIT_MODES[mode]
  if not number then
    support.fail("RuntimeError", type(mode) == "string" and "invalid value of debug_mode, expected one of `default`, `warn`, `error`"
      or "invalid value of debug_mode, expected one of 0,1,2")
  end
  driver.set_hidden_waits(number)
end)
function cuda.get_sync_debug_mode() return driver.hidden_waits() end

-- --- other libraries -----------------------------------------------------------------------------------

--- Returns the cublasHandle_t of the current GPU, set to its current stream, as an integer.
function cuda.current_blas_handle() return driver.blas_handle() end

local cudart = {
  cudaProfilerStart = function()
    driver.record_profile(true)
    return 0
  end,
  cudaProfilerStop = function()
    driver.record_profile(false)
    return 0
  end,
  cudaMemGetInfo = function(device) return driver.memory_info(index_of(device)) end,
  cudaHostRegister = function(address, bytes, flags) return driver.host_register(address, bytes, flags) end,
  cudaHostUnregister = function(address) return driver.host_unregister(address) end,
}

--- Returns a table of functions of the CUDA runtime: cudaMemGetInfo, cudaProfilerStart, cudaProfilerStop, cudaHostRegister,
-- cudaHostUnregister. Addresses are integers; results are CUDA's error numbers.
function cuda.cudart()
  driver.current_device()
  return cudart
end
cuda.cudaStatus = {SUCCESS = 0, ERROR_NOT_READY = 34}

--- The code of errors about memory: `err.code == torch.cuda.OutOfMemoryError`.
cuda.OutOfMemoryError = "OutOfMemoryError"

-- --- sensors -------------------------------------------------------------------------------------------

for _, name in ipairs{"utilization", "memory_usage", "temperature", "power_draw", "clock_rate", "device_memory_used"} do
  cuda[name] = define(name .. "(device?)", function(device) return driver.sensor(name, index_of(device)) end)
end

--- Returns the processes that use a GPU, as text.
cuda.list_gpu_processes = define("list_gpu_processes(device?)", function(device)
  if not cuda.is_available() then return "cuda driver can't be loaded, is cuda enabled?" end
  local read, processes = pcall(driver.processes, index_of(device))
  if not read then return (tostring(processes):match "^[^\n]*") end
  local lines = {("GPU:%d"):format(index_of(device) or driver.current_device())}
  if #processes == 0 then lines[2] = "no processes are running" end
  for _, p in ipairs(processes) do
    lines[#lines + 1] = p.bytes < 0 and ("process %10d uses GPU memory"):format(p.id)
      or ("process %10d uses %s MB GPU memory"):format(p.id, support.number("%12.3f", p.bytes / 1048576))
  end
  return table.concat(lines, "\n")
end)

-- --- memory ----------------------------------------------------------------------------------------------

cuda.memory = torch._part "torch.cuda.memory"
for name, value in pairs(cuda.memory) do
  if not name:find "^_" then cuda[name] = value end
end
function cuda.ipc_collect() end

-- --- namespaces ----------------------------------------------------------------------------------------

cuda.nvtx = torch._part "torch.cuda.nvtx"
cuda.profiler = torch._part "torch.cuda.profiler"
cuda.streams = torch._namespace({Stream = cuda.Stream, Event = cuda.Event, ExternalStream = cuda.ExternalStream}, "torch.cuda.streams")

-- --- graphs and pools --------------------------------------------------------------------------------------

cuda.graphs = torch._part "torch.cuda.graphs"
for name, value in pairs(cuda.graphs) do cuda[name] = value end

-- --- random numbers ------------------------------------------------------------------------------------

for name, value in pairs(torch._part "torch.cuda.random") do cuda[name] = value end

return torch._namespace(cuda, "torch.cuda")
