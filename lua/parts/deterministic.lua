-- deterministic.lua: torch.use_deterministic_algorithms and its queries. On the CPU, every operator gives the same bits for the
-- same input in any case.
local torch = ...
local state = {on = false, warn_only = false}
local deterministic = {}

deterministic.use_deterministic_algorithms = torch._define("use_deterministic_algorithms(mode, *, warn_only=false)", function(mode, warn_only)
  state.on, state.warn_only = mode and true or false, warn_only and true or false
end)
function deterministic.are_deterministic_algorithms_enabled() return state.on end
function deterministic.is_deterministic_algorithms_warn_only_enabled() return state.on and state.warn_only end

return deterministic
