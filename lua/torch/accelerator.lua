-- accelerator.lua: torch.accelerator: whatever there is besides the CPU.
local torch = ...

local accelerator = {}
function accelerator.is_available() return torch.cuda.is_available() end
function accelerator.device_count() return torch.cuda.device_count() end
function accelerator.current_accelerator()
  return torch.cuda.is_available() and torch.device "cuda" or nil
end
function accelerator.current_device_index() return torch.cuda.current_device() end
function accelerator.set_device_index(index) return torch.cuda.set_device(index) end
accelerator.set_device_idx = accelerator.set_device_index
function accelerator.current_stream(device) return torch.cuda.current_stream(device) end
function accelerator.set_stream(stream) return torch.cuda.set_stream(stream) end
function accelerator.synchronize(device) return torch.cuda.synchronize(device) end
function accelerator.memory_allocated(device) return torch.cuda.memory_allocated(device) end
function accelerator.max_memory_allocated(device) return torch.cuda.max_memory_allocated(device) end
function accelerator.memory_reserved(device) return torch.cuda.memory_reserved(device) end
function accelerator.max_memory_reserved(device) return torch.cuda.max_memory_reserved(device) end
function accelerator.reset_peak_memory_stats(device) return torch.cuda.reset_peak_memory_stats(device) end
function accelerator.memory_stats(device) return torch.cuda.memory_stats(device) end
function accelerator.empty_cache() return torch.cuda.empty_cache() end

return torch._namespace(accelerator, "torch.accelerator")
