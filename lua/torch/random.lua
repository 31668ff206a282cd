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

-- Puts the states back that were taken on entering: of the CPU, and of GPUs by index.
local function restoring(cpu, gpus)
  return setmetatable({}, {
    __close = function()
      if cpu then torch.set_rng_state(cpu) end
      for device, state in pairs(gpus) do torch.cuda.set_rng_state(state, device) end
    end,
    __tostring = function() return "<torch random state guard>" end,
  })
end

local function all_gpus()
  local indices = {}
  for i = 0, torch._cuda.device_count() - 1 do indices[#indices + 1] = i end
  return indices
end

--- The random numbers inside leave no trace, on the CPU and on every GPU (devices: on those GPUs):
--- `local _ <close> = torch.random.fork_rng()` or torch.random.fork_rng(function() ... end).
local read_fork = torch._define "fork_rng(devices?, enabled=true)"
function random.fork_rng(...)
  local arguments = table.pack(...)
  local block = type(arguments[arguments.n]) == "function" and table.remove(arguments, arguments.n)
  local a = read_fork(table.unpack(arguments, 1, arguments.n - (block and 1 or 0)))
  local gpus = {}
  for _, device in ipairs(a.enabled and (a.devices or all_gpus()) or {}) do gpus[device] = torch.cuda.get_rng_state(device) end
  local guard = restoring(a.enabled and torch.get_rng_state(), gpus)
  if not block then return guard end
  local _ <close> = guard
  return block()
end

return random
