-- cpu.lua: torch.cpu: the CPU where code wants it to be a device like the others.
local torch = ...
local support = torch._part "_support"

local function nothing() end

return support.module("torch.cpu", {
  amp = torch.amp._of "cpu",
  is_available = function() return true end,
  is_initialized = function() return true end,
  device_count = function() return 1 end,
  current_device = function() return "cpu" end,
  set_device = nothing,
  synchronize = nothing,
})
