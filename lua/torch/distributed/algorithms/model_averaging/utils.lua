-- model_averaging/utils.lua: torch.distributed.algorithms.model_averaging.utils: the mean of all ranks' parameters.
local torch = ...
local support = torch._part "support"
local world = torch._part "distributed.world"
local collectives = torch._part "distributed.collectives"

local utils = {}

-- Calls f for each member of a list, or for each value of an iterator.
local function each(params, f)
  if type(params) == "function" then
    for value in params do f(value) end
  else
    for _, value in ipairs(params) do f(value) end
  end
end

--- average_parameters(params, process_group): makes parameters the mean over the group, with one all_reduce. Does nothing on a rank outside it.
function utils.average_parameters(params, process_group)
  if process_group == torch.distributed.GroupMember.NON_GROUP_MEMBER then return end
  local group, list, flat, at = world.group_or_default(process_group), {}, {}, 0
  each(params, function(p)
    list[#list + 1] = p
    flat[#flat + 1] = p:detach():reshape(-1)
  end)
  local all = torch.cat(flat):div_(group.count)
  collectives.all_reduce(all, {group = group})
  for _, p in ipairs(list) do
    p.data = all:narrow(0, at, p:numel()):view(p.shape):to(p.dtype)
    at = at + p:numel()
  end
end

--- get_params_to_average(params) returns the parameters that have a gradient, of a list of parameters or of an optimizer's groups.
function utils.get_params_to_average(params)
  local list = {}
  local function take(p)
    if p.grad ~= nil then list[#list + 1] = p end
  end
  each(params, function(member)
    if torch.is_tensor(member) then
      take(member)
    elseif (type(member) == "table" or type(member) == "userdata") and member.params ~= nil then
      each(member.params, take)
    else
      support.fail("NotImplementedError", "Parameter input of type %s is not supported", support.python_class(member))
    end
  end)
  return list
end

--- average_parameters_or_parameter_groups(params, process_group): average_parameters of those that have a gradient.
function utils.average_parameters_or_parameter_groups(params, process_group)
  utils.average_parameters(utils.get_params_to_average(params), process_group)
end

return torch._namespace(utils, "torch.distributed.algorithms.model_averaging.utils")
