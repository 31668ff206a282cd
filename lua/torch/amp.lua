-- amp.lua: torch.amp, and torch.cuda.amp and torch.cpu.amp with their older spellings.
local torch = ...
local support = torch._part "_support"

local amp = torch._functions "torch.amp"
amp.autocast = torch.autocast

--- What torch.cuda.amp and torch.cpu.amp are: device is "cuda" or "cpu".
function amp._of(device)
  local name = ("torch.%s.amp"):format(device)
  return support.module(name, torch._functions(name))
end

return support.module("torch.amp", amp)
