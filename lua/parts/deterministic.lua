-- deterministic.lua: torch.use_deterministic_algorithms and its queries. On the CPU, every operator gives the same bits for the
-- same input in any case; on a GPU, the gradient of grid_sample does so only then.
local torch = ...
local state = {warn_only = false}
local deterministic = {}

deterministic.use_deterministic_algorithms = torch._define("use_deterministic_algorithms(mode, *, warn_only=false)", function(mode, warn_only)
  state.warn_only = warn_only and true or false
  torch._deterministic(mode and true or false)
end)
function deterministic.are_deterministic_algorithms_enabled() return torch._deterministic() end
function deterministic.is_deterministic_algorithms_warn_only_enabled() return torch._deterministic() and state.warn_only end

return deterministic
