-- accelerator.lua: torch.accelerator: whatever there is besides the CPU.
local torch = ...
local support = torch._part "_support"

local accelerator = {}
function accelerator.is_available() return torch.cuda.is_available() end
function accelerator.device_count() return torch.cuda.device_count() end
function accelerator.current_accelerator()
  return torch.cuda.is_available() and torch.device "cuda" or nil
end
function accelerator.current_device_index() return torch.cuda.current_device() end
function accelerator.set_device_index(index) return torch.cuda.set_device(index) end
function accelerator.synchronize() return torch.cuda.synchronize() end

return support.module("torch.accelerator", accelerator)
