-- Stream.lua: torch.Stream: a stream of an accelerator, which is a GPU.
local torch = ...

-- Fails for a device that has no streams.
local function check(device)
  if device ~= nil and type(device) ~= "number" and torch.device(device).type ~= "cuda" then
    torch._raise("NotImplementedError", ("%s has no streams"):format(tostring(torch.device(device))), "work of the CPU is done when a call returns")
  end
  return device
end

return torch._define("Stream(device?, priority=0)", function(device, priority) return torch.cuda.Stream(check(device), priority) end)
