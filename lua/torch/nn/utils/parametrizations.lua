-- nn/utils/parametrizations.lua: torch.nn.utils.parametrizations: weight_norm, spectral_norm, orthogonal.
local torch = ...
local support = torch._part "support"
local nn, F, fail = torch.nn, torch.nn.functional, support.fail
local parametrizations = {}

local function weight_of(module, name)
  local weight = module[name]
  if not torch.is_tensor(weight) then
    fail("ValueError", "Module '%s' has no parameter or buffer with name '%s'", tostring(module), name)
  end
  return weight
end

local function register(module, name, parametrization, unsafe)
  return nn.utils.parametrize.register_parametrization(module, name, parametrization, {unsafe = unsafe})
end

-- --- weight_norm -------------------------------------------------------------------------------------------

local WeightNorm = nn.Module:extend "_WeightNorm"
function WeightNorm:init(dim) self.dim = dim == nil and -1 or dim end
function WeightNorm:forward(g, v) return v * (g / torch.norm_except_dim(v, 2, self.dim)) end
function WeightNorm:right_inverse(weight) return torch.norm_except_dim(weight, 2, self.dim), weight end

parametrizations.weight_norm = torch._define("weight_norm(module, name='weight', dim=0)", function(module, name, dim)
  local weight = weight_of(module, name)
  if dim ~= -1 and dim < 0 then dim = dim + weight.ndim end
  return register(module, name, WeightNorm(dim), true)
end)

-- --- spectral_norm -----------------------------------------------------------------------------------------

local SpectralNorm = nn.Module:extend "_SpectralNorm"
function SpectralNorm:init(weight, n_power_iterations, dim, eps)
  local ndim = weight.ndim
  if dim >= ndim or dim < -ndim then
    fail("IndexError", "Dimension out of range (expected to be in range of [-%d, %d] but got %d)", ndim, ndim - 1, dim)
  end
  if n_power_iterations <= 0 then
    fail("ValueError", "Expected n_power_iterations to be positive, but got n_power_iterations=%d", n_power_iterations)
  end
  self.dim, self.eps, self.n_power_iterations = dim >= 0 and dim or dim + ndim, eps, n_power_iterations
  if ndim == 1 then return end
  local _ <close> = torch.no_grad()
  local matrix = self:matrix(weight:detach())
  local u, v = matrix:new_empty{matrix.shape[0]}:normal_(0, 1), matrix:new_empty{matrix.shape[1]}:normal_(0, 1)
  self:register_buffer("_u", F.normalize(u, {dim = 0, eps = eps}))
  self:register_buffer("_v", F.normalize(v, {dim = 0, eps = eps}))
  self:power_method(matrix, 15)
end

-- Returns the weight as a matrix whose rows are along dim.
function SpectralNorm:matrix(weight)
  if self.dim ~= 0 then weight = weight:transpose(0, self.dim) end
  if self.dim > 1 then   -- the others in their order
    local order = {self.dim}
    for d = 0, weight.ndim - 1 do if d ~= self.dim then order[#order + 1] = d end end
    weight = weight:transpose(0, self.dim):permute(order)
  end
  return weight:flatten(1)
end

function SpectralNorm:power_method(matrix, times)
  local _ <close> = torch.no_grad()
  local u, v = self._u, self._v
  for _ = 1, times do
    u:copy_(F.normalize(torch.mv(matrix, v), {dim = 0, eps = self.eps}))
    v:copy_(F.normalize(torch.mv(matrix:t(), u), {dim = 0, eps = self.eps}))
  end
end

function SpectralNorm:forward(weight)
  if weight.ndim == 1 then return F.normalize(weight, {dim = 0, eps = self.eps}) end
  local matrix = self:matrix(weight)
  if self.training then self:power_method(matrix, self.n_power_iterations) end
  local u, v = self._u:clone(), self._v:clone()
  return weight / torch.dot(u, torch.mv(matrix, v))
end
function SpectralNorm:right_inverse(value) return value end

parametrizations.spectral_norm = torch._define("spectral_norm(module, name='weight', n_power_iterations=1, eps=1e-12, dim?)",
  function(module, name, n_power_iterations, eps, dim)
    local weight = weight_of(module, name)
    if dim == nil then
      dim = module:isinstance{nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d} and 1 or 0
    end
    return register(module, name, SpectralNorm(weight, n_power_iterations, dim, eps), false)
  end)

-- --- orthogonal --------------------------------------------------------------------------------------------

local function is_orthogonal(Q)
  local n, k = Q.shape[-2], Q.shape[-1]
  local identity = torch.eye(k, {dtype = Q.dtype, device = Q.device})
  local eps = 10 * n * torch.finfo(Q.dtype).eps
  return torch.allclose(Q.mT:matmul(Q), identity, {atol = eps})
end

-- Returns the Q of a QR decomposition whose R has a positive diagonal.
local function make_orthogonal(A)
  local X, tau = torch.geqrf(A)
  local Q = torch.linalg.householder_product(X, tau)
  return Q * X:diagonal{dim1 = -2, dim2 = -1}:sign():unsqueeze(-2)
end

local Orthogonal = nn.Module:extend "_Orthogonal"
function Orthogonal:init(weight, map, use_trivialization)
  self.sizes, self.map, self.trivialized = weight.shape, map, use_trivialization
  if use_trivialization then self:register_buffer("base", nil) end
end

function Orthogonal:forward(X)
  local n, k = X.shape[-2], X.shape[-1]
  local wide = n < k
  local Q
  if wide then X, n, k = X.mT, k, n end
  if self.map == "householder" then
    local A = X:tril(-1)
    local tau = 2.0 / (1.0 + (A * A):sum(-2))
    Q = torch.linalg.householder_product(A, tau)
    Q = Q * X:diagonal{dim1 = -2, dim2 = -1}:int():unsqueeze(-2)
  else
    X = X:tril()
    if n ~= k then
      local sizes = {}
      for i = 0, X.ndim - 2 do sizes[i + 1] = X.shape[i] end
      sizes[#sizes + 1] = n - k
      X = torch.cat({X, X:new_zeros(sizes)}, -1)
    end
    local A = X - X.mT
    if self.map == "matrix_exp" then
      Q = torch.matrix_exp(A)
    else
      local identity = torch.eye(n, {dtype = A.dtype, device = A.device})
      Q = torch.linalg.solve(identity - A * 0.5, identity + A * 0.5)
    end
    if n ~= k then Q = Q:narrow(-1, 0, k) end
  end
  if self.trivialized then Q = self.base:matmul(Q) end
  return wide and Q.mT or Q
end

function Orthogonal:right_inverse(Q)
  if Q.shape ~= self.sizes then
    fail("ValueError", "Expected a matrix or batch of matrices of shape %s. Got a tensor of shape %s.", tostring(self.sizes), tostring(Q.shape))
  end
  local _ <close> = torch.no_grad()
  Q = Q:detach()
  local start, n, k = Q, Q.shape[-2], Q.shape[-1]
  local wide = n < k
  if wide then Q, n, k = Q.mT, k, n end
  if not self.trivialized then
    if self.map ~= "householder" then
      fail("NotImplementedError", "It is not possible to assign to the matrix exponential or the Cayley parametrizations when " ..
        "use_trivialization=False.")
    end
    local A, tau = torch.geqrf(Q)
    local diagonal = A:diagonal{dim1 = -2, dim2 = -1}
    diagonal:copy_(torch.where(tau:eq(0), -diagonal:sign(), diagonal:sign()))
    return wide and A.mT or A
  end
  if n == k then
    Q = is_orthogonal(Q) and Q:clone() or make_orthogonal(Q)
  else
    local sizes = {}
    for i = 0, Q.ndim - 2 do sizes[i + 1] = Q.shape[i] end
    sizes[#sizes + 1] = n - k
    Q = make_orthogonal(torch.cat({Q, torch.randn(sizes, {dtype = Q.dtype, device = Q.device})}, -1))
  end
  self.base = Q
  local negative = torch.zeros_like(start)
  negative:diagonal{dim1 = -2, dim2 = -1}:fill_(-1.0)
  return negative
end

parametrizations.orthogonal = torch._define("orthogonal(module, name='weight', orthogonal_map?, *, use_trivialization=true)",
  function(module, name, orthogonal_map, use_trivialization)
    local weight = weight_of(module, name)
    if weight.ndim < 2 then
      fail("ValueError", "Expected a matrix or batch of matrices. Got a tensor of %d dimensions.", weight.ndim)
    end
    orthogonal_map = orthogonal_map or weight.shape[-2] == weight.shape[-1] and "matrix_exp" or "householder"
    if orthogonal_map ~= "matrix_exp" and orthogonal_map ~= "cayley" and orthogonal_map ~= "householder" then
      fail("ValueError", 'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: %s', orthogonal_map)
    end
    return register(module, name, Orthogonal(weight, orthogonal_map, use_trivialization), true)
  end)

return torch._namespace(parametrizations, "torch.nn.utils.parametrizations")
