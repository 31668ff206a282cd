-- model_averaging/hierarchical_model_averager.lua: torch.distributed.algorithms.model_averaging.hierarchical_model_averager: small groups average often, large
-- groups seldom: HierarchicalModelAverager{period_group_size_dict = {[4] = 8, [16] = 64}} averages 8 ranks every 4 steps, all 64 every 16.
local torch = ...
local support = torch._part "support"
local averagers = torch._part "torch.distributed.algorithms.model_averaging.averagers"
local utils = torch._part "torch.distributed.algorithms.model_averaging.utils"
local fail = support.fail

local MODULE = "torch.distributed.algorithms.model_averaging.hierarchical_model_averager"

local read = torch._define "HierarchicalModelAverager.__init__(period_group_size_dict?, warmup_steps=0, process_group?)"

--- HierarchicalModelAverager(period_group_size_dict, warmup_steps = 0, process_group): the last size is that of the process group.
local Averager = support.class("HierarchicalModelAverager", averagers.ModelAverager, MODULE)

-- Checks periods, in their order, and the sizes of their groups.
local function check(periods, sizes, count)
  if #periods == 0 then fail("ValueError", "Arg ``period_group_size_dict`` must not be empty.") end
  if periods[1] <= 0 then
    fail("ValueError", "The minimum period in arg ``period_group_size_dict`` must be a positive value.")
  elseif periods[#periods] == 1 then
    torch._warn("When the maximum period in arg ``period_group_size_dict`` is 1, no need to use model averaging because the communication cost of " ..
      "all-reducing parameters will be no less than the cost of all-reducing gradients by DistributedDataParallel in the backward pass. Therefore, " ..
      "only DistributedDataParallel should be used for this case.")
  end
  local last = sizes[periods[#periods]]
  if last ~= count then
    fail("ValueError", "The last value in arg ``period_group_size_dict`` %s must be equal to the size of arg ``process_group`` %d.", last, count)
  end
end

function Averager:init(...)
  local a = read(...)
  averagers.ModelAverager.init(self, a.process_group)
  local sizes, count = a.period_group_size_dict or {}, self.process_group.count
  self.periods, self.period_process_group_dict, self.warmup_steps = {}, {}, a.warmup_steps
  for period in pairs(sizes) do table.insert(self.periods, period) end
  table.sort(self.periods)
  check(self.periods, sizes, count)
  for _, period in ipairs(self.periods) do
    local own = self.process_group
    if sizes[period] ~= count then own = torch.distributed.new_subgroups(sizes[period], {group = self.process_group}) end
    self.period_process_group_dict[period] = own
  end
  if a.warmup_steps < 0 then fail("ValueError", "Arg ``warmup_steps`` must be a non-negative number.") end
end

--- Averages parameters over the group of the longest period that divides the number of this call, after the first warmup_steps ones.
function Averager:average_parameters(params)
  for i = self.step >= self.warmup_steps and #self.periods or 0, 1, -1 do
    if self.step % self.periods[i] == 0 then
      utils.average_parameters_or_parameter_groups(params, self.period_process_group_dict[self.periods[i]])
      break
    end
  end
  self.step = self.step + 1
end

return torch._namespace({HierarchicalModelAverager = Averager}, MODULE)
