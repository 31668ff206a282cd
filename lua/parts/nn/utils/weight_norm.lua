-- weight_norm.lua: torch.nn.utils.weight_norm and remove_weight_norm: the older form of parametrizations.weight_norm. Many
-- checkpoints have its members NAME_g and NAME_v.
local torch = ...
local support = torch._part "support"
local nn = torch.nn

local function compute(module, name, dim)
  local v = module[name .. "_v"]
  return v * (module[name .. "_g"] / torch.norm_except_dim(v, 2, dim))
end

local function weight_norm(module, name, dim)
  local fields, weight = torch._fields(module), module[name]
  fields._weight_norm = fields._weight_norm or {}
  if fields._weight_norm[name] then
    support.fail("RuntimeError", "Cannot register two weight_norm hooks on the same parameter %s", name)
  end
  torch._warn("`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.", "FutureWarning")
  local g = torch.no_grad(function() return torch.norm_except_dim(weight:detach(), 2, dim) end)
  torch._remove_member(module, name)
  module:register_parameter(name .. "_g", nn.Parameter(g))
  module:register_parameter(name .. "_v", nn.Parameter(weight:detach()))
  torch._compute_members(module, module:_get_name())
  fields[name] = compute(module, name, dim)
  fields._weight_norm[name] = {dim = dim, handle = module:register_forward_pre_hook(function(m)
    torch._fields(m)[name] = compute(m, name, dim)
  end)}
  return module
end

local function remove_weight_norm(module, name)
  local fields = torch._fields(module)
  local state = fields._weight_norm and fields._weight_norm[name]
  if not state then support.fail("ValueError", "weight_norm of '%s' not found in %s", name, tostring(module)) end
  local weight = torch.no_grad(function() return compute(module, name, state.dim):detach() end)
  state.handle:remove()
  fields._weight_norm[name], fields[name] = nil, nil
  torch._remove_member(module, name .. "_g")
  torch._remove_member(module, name .. "_v")
  module:register_parameter(name, nn.Parameter(weight))
  return module
end

return {
  weight_norm = torch._define("weight_norm(module, name='weight', dim=0)", weight_norm),
  remove_weight_norm = torch._define("remove_weight_norm(module, name='weight')", remove_weight_norm),
}
