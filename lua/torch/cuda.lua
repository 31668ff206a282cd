-- cuda.lua: torch.cuda on a machine without a GPU: questions have answers, work is an error.
local torch = ...
local support = torch._part "_support"

local function no_driver()
  return support.fail("RuntimeError", "Found no NVIDIA driver on your system. Please check that you have an NVIDIA "
    .. "GPU and installed a driver from http://www.nvidia.com/Download/index.aspx")
end
local function nothing() end
local function zero() return 0 end
local function no() return false end

local cuda = {
  is_available = no,
  is_initialized = no,
  is_bf16_supported = no,
  device_count = zero,
  memory_allocated = zero,
  max_memory_allocated = zero,
  memory_reserved = zero,
  max_memory_reserved = zero,
  manual_seed = nothing, -- kept for a device that never comes
  manual_seed_all = nothing,
  seed = nothing,
  seed_all = nothing,
  empty_cache = nothing,
  get_arch_list = function() return {} end,
}

for _, name in ipairs{"current_device", "set_device", "get_device_name", "get_device_capability",
  "get_device_properties", "synchronize", "current_stream", "default_stream", "mem_get_info", "init", "get_rng_state",
  "set_rng_state", "initial_seed", "ipc_collect", "reset_peak_memory_stats", "memory_summary", "memory_stats",
  "Stream", "Event"} do
  cuda[name] = no_driver
end

return support.module("torch.cuda", cuda)
