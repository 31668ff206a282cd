-- amp.lua: torch.amp: mixed precision.
local torch = ...

local amp = torch._functions "torch.amp"
amp.autocast = torch.autocast

return torch._namespace(amp, "torch.amp")
