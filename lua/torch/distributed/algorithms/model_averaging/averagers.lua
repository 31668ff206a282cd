-- model_averaging/averagers.lua: torch.distributed.algorithms.model_averaging.averagers: parameters that are averaged every few steps, after the
-- optimizer's: averager:average_parameters(model:parameters())
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local utils = torch._part "torch.distributed.algorithms.model_averaging.utils"
local fail = support.fail

local MODULE = "torch.distributed.algorithms.model_averaging.averagers"

--- The base of averagers: process_group, and step, the number of calls.
local ModelAverager = support.class("ModelAverager", nil, MODULE)
function ModelAverager:init(process_group) self.process_group, self.step = world.group_or_default(process_group), 0 end
function ModelAverager:average_parameters()   -- luacheck: ignore
  return fail("NotImplementedError", "a ModelAverager defines average_parameters(params)")
end

local read = torch._define "PeriodicModelAverager.__init__(period, warmup_steps=0, process_group?)"

--- PeriodicModelAverager(period, warmup_steps = 0, process_group): averages parameters at every period-th call after the first warmup_steps ones.
local PeriodicModelAverager = support.class("PeriodicModelAverager", ModelAverager, MODULE)
function PeriodicModelAverager:init(...)
  local a = read(...)
  ModelAverager.init(self, a.process_group)
  if a.warmup_steps < 0 then fail("ValueError", "Arg ``warmup_steps`` must be a non-negative number.") end
  if a.period < 1 then fail("ValueError", "Arg ``period`` must be a positive value.") end
  if a.period == 1 then
    torch._warn("When period is 1, no need to use model averaging because the communication cost of all-reducing parameters will be no less than " ..
      "the cost of all-reducing gradients by DistributedDataParallel in the backward pass. Therefore, only DistributedDataParallel should be used " ..
      "for this case.")
  end
  self.warmup_steps, self.period = a.warmup_steps, a.period
end

--- Averages parameters, or those of an optimizer's groups, that have a gradient, if this call is one of those that do.
function PeriodicModelAverager:average_parameters(params)
  if self.step >= self.warmup_steps and (self.step - self.warmup_steps) % self.period == 0 then
    utils.average_parameters_or_parameter_groups(params, self.process_group)
  end
  self.step = self.step + 1
end

return torch._namespace({ModelAverager = ModelAverager, PeriodicModelAverager = PeriodicModelAverager}, MODULE)
