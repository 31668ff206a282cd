-- distributions/vectors.lua: distributions of vectors: Independent, MultivariateNormal.
local torch = ...
local support = torch._part "support"
local fail = support.fail

-- Returns the sum over the last `count` dimensions.
local function sum_rightmost(value, count)
  if count == 0 then return value end
  return value:flatten(-count):sum(-1)
end

-- Returns the sizes from number `first` to `last`, counted from 0.
local function part_of(shape, first, last)
  local sizes = {}
  for i = first, last do sizes[#sizes + 1] = shape[i] end
  return sizes
end

return function(distribution, extended, check, divergences, kl_divergence)
  -- --- dimensions of a batch as those of one event ---------------------------------------------------------------

  local Independent = distribution("Independent", "base_distribution, int reinterpreted_batch_ndims", function(self, base, count)
    local batch = #base.batch_shape
    if count > batch then
      fail("ValueError", "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual %d vs %d", count, batch)
    end
    local event = part_of(base.batch_shape, batch - count, batch - 1)
    for i = 0, #base.event_shape - 1 do event[#event + 1] = base.event_shape[i] end
    self.base_dist, self.reinterpreted_batch_ndims = base, count
    self.batch_shape, self.event_shape = torch.Size(part_of(base.batch_shape, 0, batch - count - 1)), torch.Size(event)
    self.mean, self.variance, self.stddev = base.mean, base.variance, base.stddev
  end)

  function Independent:sample(sample_shape) return self.base_dist:sample(sample_shape) end
  function Independent:rsample(sample_shape) return self.base_dist:rsample(sample_shape) end
  function Independent:log_prob(value) return sum_rightmost(self.base_dist:log_prob(value), self.reinterpreted_batch_ndims) end
  function Independent:entropy() return sum_rightmost(self.base_dist:entropy(), self.reinterpreted_batch_ndims) end
  function Independent:__tostring() return ("Independent(%s, %d)"):format(tostring(self.base_dist), self.reinterpreted_batch_ndims) end

  function divergences.Independent(p, q)
    if p.reinterpreted_batch_ndims ~= q.reinterpreted_batch_ndims then fail("NotImplementedError", "") end
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
  end

  -- --- normal vectors --------------------------------------------------------------------------------------------

  -- Returns the Cholesky factor of a covariance, from the covariance's inverse.
  local function factor_of_precision(precision)
    local inverse = torch.flip(torch.linalg.cholesky(torch.flip(precision, {-2, -1})), {-2, -1}):transpose(-2, -1)
    local one = torch.eye(precision.shape[-1], {dtype = precision.dtype, device = precision.device})
    return torch.linalg.solve_triangular(inverse, one, {upper = false})
  end

  local function is_positive_definite(m)
    local _, info = torch.linalg.cholesky_ex(m)
    return m.mT:isclose(m, {atol = 1e-6}):flatten(-2):all(-1) & info:eq(0)
  end

  local function is_cholesky_factor(m)
    return m:tril():eq(m):flatten(-2):all(-1) & m:diagonal(0, -2, -1):gt(0):all(-1)
  end

  -- The forms of the matrix: the name of its constraint, its check, and the function from it to the factor.
  local kinds = {
    {"covariance_matrix", "PositiveDefinite()", is_positive_definite, torch.linalg.cholesky},
    {"precision_matrix", "PositiveDefinite()", is_positive_definite, factor_of_precision},
    {"scale_tril", "LowerCholesky()", is_cholesky_factor, function(factor) return factor end},
  }

  -- Returns the one matrix that is given, and its kind.
  local function only_matrix(...)
    local matrix, kind
    for i, each in ipairs(kinds) do
      local value = select(i, ...)
      if value ~= nil and matrix then kind = nil break end
      if value ~= nil then matrix, kind = value, each end
    end
    if not kind then fail("ValueError", "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.") end
    return matrix, kind
  end

  -- Returns the squared lengths of the solutions y of L y = x. L is a matrix for all rows of x, or one for each.
  local function squared_lengths(L, x)
    if L:dim() == 2 then
      local rows = x:reshape(-1, x.shape[-1])
      return torch.linalg.solve_triangular(L, rows:t(), {upper = false}):pow(2):sum(-2):reshape(part_of(x.shape, 0, #x.shape - 2))
    end
    return torch.linalg.solve_triangular(L, x:unsqueeze(-1), {upper = false}):squeeze(-1):pow(2):sum(-1)
  end

  local function half_log_det(L) return L:diagonal(0, -2, -1):log():sum(-1) end

  local MultivariateNormal = distribution("MultivariateNormal", "Tensor loc, Tensor? covariance_matrix, Tensor? precision_matrix, Tensor? scale_tril",
    function(self, loc, ...)
      if loc:dim() < 1 then fail("ValueError", "loc must be at least one-dimensional.") end
      local matrix, kind = only_matrix(...)
      local name, constraint, is_right, factor = table.unpack(kind)
      if matrix:dim() < 2 then
        fail("ValueError", "%s must be at least two-dimensional, with optional leading batch dimensions",
          name == "scale_tril" and "scale_tril matrix" or name)
      end
      self.batch_shape = torch.broadcast_tensors(matrix:select(-1, 0):select(-1, 0), loc:select(-1, 0))[1].shape
      self.event_shape = torch.Size {loc.shape[-1]}
      local batch = part_of(self.batch_shape, 0, #self.batch_shape - 1)
      self.loc = loc:expand(table.move({-1}, 1, 1, #batch + 1, {table.unpack(batch)}))
      self[name] = matrix:expand(table.move({-1, -1}, 1, 2, #batch + 1, batch))
      self.parameters = {"loc", name}
      check(self, name, constraint, is_right(self[name]))
      self._factor = factor(matrix)
      local full = self._factor:expand(self[name].shape)
      self.scale_tril = full
      self.covariance_matrix = self.covariance_matrix or (self._factor:matmul(self._factor.mT)):expand(full.shape)
      self.precision_matrix = self.precision_matrix or torch.cholesky_inverse(self._factor):expand(full.shape)
      self.mean, self.variance = self.loc, self._factor:pow(2):sum(-1):expand(self.loc.shape)
      self.stddev = self.variance:sqrt()
    end)

  function MultivariateNormal:rsample(sample_shape)
    local eps = torch.empty(extended(self, sample_shape), {dtype = self.loc.dtype, device = self.loc.device}):normal_()
    return self.loc + self._factor:matmul(eps:unsqueeze(-1)):squeeze(-1)
  end

  function MultivariateNormal:log_prob(value)
    local lengths = squared_lengths(self._factor, value - self.loc)
    return -0.5 * (self.event_shape[0] * math.log(2 * math.pi) + lengths) - half_log_det(self._factor)
  end

  function MultivariateNormal:entropy()
    local entropy = 0.5 * self.event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det(self._factor)
    return #self.batch_shape == 0 and entropy or entropy:expand(self.batch_shape)
  end

  function divergences.MultivariateNormal(p, q)
    local lengths = squared_lengths(q._factor, q.loc - p.loc)
    local trace = torch.linalg.solve_triangular(q._factor, p._factor, {upper = false}):pow(2):flatten(-2):sum(-1)
    return half_log_det(q._factor) - half_log_det(p._factor) + 0.5 * (trace + lengths - p.event_shape[0])
  end

  return {Independent = Independent, MultivariateNormal = MultivariateNormal}
end
