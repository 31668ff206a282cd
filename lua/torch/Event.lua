-- Event.lua: torch.Event: a point in a stream of an accelerator, which is a GPU.
local torch = ...

return torch._define("Event(device?, enable_timing=false, blocking=false, interprocess=false)", function(device, enable_timing, blocking, interprocess)
  if device ~= nil and type(device) ~= "number" and torch.device(device).type ~= "cuda" then
    torch._raise("NotImplementedError", ("%s has no events"):format(tostring(torch.device(device))), "work of the CPU is done when a call returns")
  end
  return torch.cuda.Event(enable_timing, blocking, interprocess)
end)
