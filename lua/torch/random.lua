-- random.lua: torch.random: the state of the default generator.
local torch = ...
local random = {
  manual_seed = torch.manual_seed,
  initial_seed = torch.initial_seed,
  seed = torch.seed,
  get_rng_state = torch.get_rng_state,
  set_rng_state = torch.set_rng_state,
  default_generator = torch.default_generator,
}

--- What is drawn inside leaves no trace, on the CPU and on every GPU (keyword devices: on those GPUs):
--- `local _ <close> = torch.random.fork_rng()` or torch.random.fork_rng(function() ... end).
function random.fork_rng(...)
  local n = select("#", ...)
  local last = n > 0 and select(n, ...) or nil
  local options = type((...)) == "table" and (...) or {}
  local state, GPUs = torch.get_rng_state(), {}
  local devices = options.devices
  if not devices then
    devices = {}
    for i = 0, torch._cuda.device_count() - 1 do devices[#devices + 1] = i end
  end
  for _, device in ipairs(devices) do GPUs[device] = torch.cuda.get_rng_state(device) end
  local guard = setmetatable({}, {
    __close = function()
      if options.enabled == false then return end
      torch.set_rng_state(state)
      for device, kept in pairs(GPUs) do torch.cuda.set_rng_state(kept, device) end
    end,
    __tostring = function() return "<torch random state guard>" end,
  })
  if type(last) ~= "function" then return guard end
  local _ <close> = guard
  return last()
end

return random
