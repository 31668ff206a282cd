-- distributed/optim/utils.lua: torch.distributed.optim.utils: optimizers that step one parameter by a gradient they are given:
--   as_functional_optim(torch.optim.SGD, {lr = 0.1}):step_param(parameter, gradient)
local torch = ...
local support = torch._part "support"

local MODULE = "torch.distributed.optim.utils"

local Functional = support.class("FunctionalOptimizer", nil, MODULE)

function Functional:init(class, options) self.class, self.options, self.optimizers = class, options, {} end

--- Steps a parameter by a gradient, which need not be its own. Its states stay here.
function Functional:step_param(param, grad)
  if not self.optimizers[param] then
    local options = {}
    for name, value in pairs(self.options) do options[name] = value end
    self.optimizers[param] = self.class({param}, options)
  end
  local own = param.grad
  param.grad = grad
  self.optimizers[param]:step()
  param.grad = own
end

local utils = {}

--- as_functional_optim(optimizer_class, options) returns an optimizer with step_param(parameter, gradient).
function utils.as_functional_optim(class, options)
  if class == nil or type(class) == "number" or type(class) == "string" then
    support.fail("ValueError", "Optimizer %s does not have a functional counterpart!", support.python(class))
  end
  return Functional(class, options or {})
end

return torch._namespace(utils, MODULE)
