-- spectral_norm.lua: torch.nn.utils.spectral_norm and remove_spectral_norm: the older form of parametrizations.spectral_norm.
-- Many checkpoints have its members NAME_orig, NAME_u and NAME_v.
local torch = ...
local support = torch._part "support"
local nn, F, fail = torch.nn, torch.nn.functional, support.fail

-- Returns the weight as a matrix whose rows are along dim.
local function matrix_of(weight, dim)
  if dim ~= 0 then
    local order = {dim}
    for d = 0, weight.ndim - 1 do if d ~= dim then order[#order + 1] = d end end
    weight = weight:permute(order)
  end
  return weight:reshape(weight.shape[0], -1)
end

local function compute(module, name, state, iterate)
  local weight, u, v = module[name .. "_orig"], module[name .. "_u"], module[name .. "_v"]
  local matrix = matrix_of(weight, state.dim)
  if iterate then
    torch.no_grad(function()
      for _ = 1, state.n_power_iterations do
        v:copy_(F.normalize(torch.mv(matrix:t(), u), {dim = 0, eps = state.eps}))
        u:copy_(F.normalize(torch.mv(matrix, v), {dim = 0, eps = state.eps}))
      end
    end)
    u, v = u:clone(), v:clone()   -- two calls may come before one backward
  end
  return weight / torch.dot(u, torch.mv(matrix, v))
end

local function state_of(module, name)
  local states = torch._fields(module)._spectral_norm
  return states and states[name]
end

local function spectral_norm(module, name, n_power_iterations, eps, dim)
  local fields, weight = torch._fields(module), module[name]
  if n_power_iterations <= 0 then
    fail("ValueError", "Expected n_power_iterations to be positive, but got n_power_iterations=%d", n_power_iterations)
  end
  if state_of(module, name) then fail("RuntimeError", "Cannot register two spectral_norm hooks on the same parameter %s", name) end
  if weight == nil then fail("ValueError", "`SpectralNorm` cannot be applied as parameter `%s` is None", name) end
  if dim == nil then dim = module:isinstance{nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d} and 1 or 0 end
  local matrix = torch.no_grad(function() return matrix_of(weight, dim) end)
  local function start(n) return F.normalize(weight:detach():new_empty{n}:normal_(0, 1), {dim = 0, eps = eps}) end
  local u = start(matrix.shape[0])
  local v = start(matrix.shape[1])
  torch._remove_member(module, name)
  module:register_parameter(name .. "_orig", weight)
  module:register_buffer(name .. "_u", u)
  module:register_buffer(name .. "_v", v)
  torch._compute_members(module, module:_get_name())
  fields[name] = weight.data
  local state = {dim = dim, eps = eps, n_power_iterations = n_power_iterations}
  state.handle = module:register_forward_pre_hook(function(m) torch._fields(m)[name] = compute(m, name, state, m.training) end)
  fields._spectral_norm = fields._spectral_norm or {}
  fields._spectral_norm[name] = state
  return module
end

local function remove_spectral_norm(module, name)
  local state = state_of(module, name)
  if not state then fail("ValueError", "spectral_norm of '%s' not found in %s", name, tostring(module)) end
  local weight = torch.no_grad(function() return compute(module, name, state, false):detach() end)
  state.handle:remove()
  local fields = torch._fields(module)
  fields._spectral_norm[name], fields[name] = nil, nil
  for _, part in ipairs {"_u", "_v", "_orig"} do torch._remove_member(module, name .. part) end
  module:register_parameter(name, nn.Parameter(weight))
  return module
end

return {
  spectral_norm = torch._define("spectral_norm(module, name='weight', n_power_iterations=1, eps=1e-12, dim?)", spectral_norm),
  remove_spectral_norm = torch._define("remove_spectral_norm(module, name='weight')", remove_spectral_norm),
}
