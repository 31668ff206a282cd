-- modes.lua: the modes that a program may leave on, for specs that check that it does not.
local torch = require "torch"
local modes = {}

--- Returns all modes that could stay on.
function modes.state()
  return {
    torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_anomaly_enabled(),
    tostring(torch.get_default_device()), torch.is_autocast_enabled "cpu",
    tostring(torch.get_autocast_dtype "cpu"), torch._memory().scope,
  }
end

return modes
