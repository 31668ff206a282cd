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

--- What is drawn inside leaves no trace: `local _ <close> = torch.random.fork_rng()` or
--- torch.random.fork_rng(function() ... end).
function random.fork_rng(...)
  local n = select("#", ...)
  local last = n > 0 and select(n, ...) or nil
  local state = torch.get_rng_state()
  local guard = setmetatable({}, {
    __close = function() torch.set_rng_state(state) end,
    __tostring = function() return "<torch random state guard>" end,
  })
  if type(last) ~= "function" then return guard end
  local _ <close> = guard
  return last()
end

return random
