-- distributed/is_available.lua: torch.distributed.is_available, the one function of a build without the others.
local torch = ...

--- Whether this build has torch.distributed; one for a browser has not.
return torch._define("is_available()", function() return rawget(torch, "_distributed") ~= nil end)
