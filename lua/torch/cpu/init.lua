-- cpu/init.lua: torch.cpu: the CPU as a device like the others.
local torch = ...

local function nothing() end

return torch._namespace({
  is_available = function() return true end,
  is_initialized = function() return true end,
  device_count = function() return 1 end,
  current_device = function() return "cpu" end,
  set_device = nothing,
  synchronize = nothing,
}, "torch.cpu")
