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
  return ("_CudaDeviceProperties(name='%s', major=%d, minor=%d, total_memory=%dMB, multi_processor_count=%d, L2_cache_size=%dMB)")
    :format(p.name, p.major, p.minor, p.total_memory // 1048576, p.multi_processor_count, p.L2_cache_size // 1048576)
end

local function properties_of(device)
  local index, count = type(device) == "number" and device or index_of(device) or 0, cuda.device_count()
  if count > 0 and (index < 0 or index >= count) then support.fail("AssertionError", "Invalid device id") end
  return setmetatable(driver.properties(device), Properties)
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

-- --- memory ----------------------------------------------------------------------------------------------

cuda.memory = torch._part "torch.cuda.memory"
for name, value in pairs(cuda.memory) do
  if not name:find "^_" then cuda[name] = value end
end
function cuda.ipc_collect() end

-- --- random numbers ------------------------------------------------------------------------------------

for name, value in pairs(torch._part "torch.cuda.random") do cuda[name] = value end

return torch._namespace(cuda, "torch.cuda")
