-- accelerator.lua: torch.accelerator: the devices besides the CPU.
local torch = ...

local accelerator = {}
function accelerator.is_available() return torch.cuda.is_available() end
function accelerator.device_count() return torch.cuda.device_count() end
function accelerator.current_accelerator()
  return torch.cuda.is_available() and torch.device "cuda" or nil
end
function accelerator.current_device_index() return torch.cuda.current_device() end
accelerator.set_device_index = torch.cuda.set_device
accelerator.set_device_idx = torch.cuda.set_device
for _, name in ipairs {"current_stream", "set_stream", "synchronize", "memory_allocated", "max_memory_allocated", "memory_reserved",
    "max_memory_reserved", "reset_peak_memory_stats", "memory_stats", "empty_cache"} do
  accelerator[name] = torch.cuda[name]
end

return torch._namespace(accelerator, "torch.accelerator")
