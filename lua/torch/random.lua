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

local function all_gpus()
  local indices = {}
  for i = 0, torch._cuda.device_count() - 1 do indices[#indices + 1] = i end
  return indices
end

--- Restores the generators' states at the end of the block, on the CPU and on every GPU (devices: on those GPUs): `local _
-- <close> = torch.random.fork_rng()` or torch.random.fork_rng(function() ... end).
local read_fork = torch._define "fork_rng(devices?, enabled=true)"
function random.fork_rng(...)
  local arguments = table.pack(...)
  local block = type(arguments[arguments.n]) == "function" and table.remove(arguments, arguments.n)
  local a = read_fork(table.unpack(arguments, 1, arguments.n - (block and 1 or 0)))
  local generators = {a.enabled and torch.default_generator or nil}
  for _, device in ipairs(a.enabled and (a.devices or all_gpus()) or {}) do
    generators[#generators + 1] = torch._cuda_generator(torch._cuda.index(device))
  end
  local guard <const> = torch._keep_generators(generators)
  if not block then return guard end
  local _ <close> = guard
  return block()
end

return torch._namespace(random, "torch.random")
