-- distributed/optim/PostLocalSGDOptimizer.lua: an optimizer whose steps an averager of the model follows (post-local SGD).
local torch = ...
local support = torch._part "support"

--- PostLocalSGDOptimizer(optim, averager): steps optim, then calls the averager with its parameters.
local Optimizer = support.class("PostLocalSGDOptimizer", nil, "torch.distributed.optim.post_localSGD_optimizer")

local read = torch._define "PostLocalSGDOptimizer.__init__(optim, averager)"

function Optimizer:init(...)
  local a = read(...)
  self.optim, self.averager = a.optim, a.averager
  self.param_groups, self.state = a.optim.param_groups, a.optim.state
end

function Optimizer:__tostring() return tostring(self.optim) end

--- Returns the optimizer's state, with the averager's number of steps as "step".
function Optimizer:state_dict()
  local state = self.optim:state_dict()
  state.step = self.averager.step
  return state
end

--- Loads the optimizer's state, and the averager's number of steps.
function Optimizer:load_state_dict(state_dict)
  local step = state_dict.step
  local own = {}
  for key, value in pairs(state_dict) do
    if key ~= "step" then own[key] = value end
  end
  self.optim:load_state_dict(own)
  self.param_groups, self.state = self.optim.param_groups, self.optim.state
  if step == nil then
    torch._warn("Loaded state dict does not contain a step counter for an averager. Setting step counter to 0.")
  end
  self.averager.step = step or 0
end

function Optimizer:step()
  self.optim:step()
  self.averager:average_parameters(self.param_groups)
end

function Optimizer:zero_grad(...) return self.optim:zero_grad(...) end
function Optimizer:add_param_group(group) return self.optim:add_param_group(group) end

return Optimizer
