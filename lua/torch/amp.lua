-- amp.lua: torch.amp, and torch.cuda.amp and torch.cpu.amp with their older spellings.
local torch = ...
local support = torch._part "_support"

local amp = {
  autocast = torch.autocast,
  GradScaler = torch._GradScaler,
  is_autocast_available = torch._is_autocast_available,
}

--- What torch.cuda.amp and torch.cpu.amp are: device is "cuda" or "cpu".
function amp._of(device)
  return support.module(("torch.%s.amp"):format(device), {
    autocast = torch[("_%s_autocast"):format(device)],
    GradScaler = torch[device == "cuda" and "_CudaGradScaler" or "_CpuGradScaler"],
  })
end

return support.module("torch.amp", amp)
