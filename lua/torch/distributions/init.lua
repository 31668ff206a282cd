-- distributions/init.lua: torch.distributions, with PyTorch's numbers for a seed: distributions of single numbers, and
-- kl_divergence. Those of vectors are in vectors.lua.
local torch = ...
local support = torch._part "support"
local F = torch.nn.functional
local fail = support.fail

-- --- shared by all distributions --------------------------------------------------------------------------------

local Distribution = support.class("Distribution", nil, "torch.distributions")

-- Returns the sizes of a sample: those that the caller requests, then those of the batch, then those of one event.
local function extended(self, sample_shape)
  if type(sample_shape) == "table" and sample_shape.sample_shape then sample_shape = sample_shape.sample_shape end
  if type(sample_shape) == "number" then sample_shape = {sample_shape} end
  local sizes = {}
  for i = 1, sample_shape and #sample_shape or 0 do
    sizes[i] = type(sample_shape) == "table" and sample_shape[i] or sample_shape[i - 1]
  end
  for i = 0, #self.batch_shape - 1 do sizes[#sizes + 1] = self.batch_shape[i] end
  for i = 0, #self.event_shape - 1 do sizes[#sizes + 1] = self.event_shape[i] end
  return sizes
end

-- Fails if not all of a parameter's values satisfy the constraint.
local function check(self, name, constraint, right)
  if right:all():item() then return end
  local value = self[name]
  local sizes = {}
  for i = 1, value:dim() do sizes[i] = value.shape[i - 1] end
  local shape = #sizes == 1 and sizes[1] .. "," or table.concat(sizes, ", ")
  fail("ValueError", "Expected parameter %s (Tensor of shape (%s)) of distribution %s to satisfy the constraint %s, but found invalid values:\n%s",
    name, shape, tostring(self), constraint, tostring(value))
end

-- Stores the parameters as tensors of one shape.
local function broadcast(self, names, ...)
  local given = {...}
  for i, name in ipairs(names) do
    if given[i] == nil then fail("TypeError", "%s.__init__() missing 1 required positional argument: '%s'", self.__class__.__name__, name) end
    if not torch.is_tensor(given[i]) then given[i] = torch.tensor(given[i] + 0.0) end
  end
  given = torch.broadcast_tensors(table.unpack(given))
  for i, name in ipairs(names) do self[name] = given[i] end
  self.parameters = names
  self.batch_shape = given[1].shape
end

-- Fails unless exactly one of probs and logits is given.
local function check_one(probs, logits)
  if (probs == nil) == (logits == nil) then fail("ValueError", "Either `probs` or `logits` must be specified, but not both.") end
end

local function clamp_probs(probs)
  local eps = torch.finfo(probs.dtype).eps
  return probs:clamp(eps, 1 - eps)
end

Distribution.event_shape = torch.Size {} -- of a number

function Distribution:sample(sample_shape)
  local _ <close> = torch.no_grad()
  return self:rsample(sample_shape)
end

function Distribution:__tostring()
  local parts = {}
  for i, name in ipairs(self.parameters) do
    local value = self[name]
    parts[i] = name .. ": " .. (value:numel() == 1 and "" .. value or tostring(value.shape))
  end
  return ("%s(%s)"):format(self.__class__.__name__, table.concat(parts, ", "))
end

-- Returns a class whose constructor has the parameters of the signature.
local function distribution(name, parameters, init)
  local class = support.class(name, Distribution, "torch.distributions")
  local read = torch._define(("%s(self, %s, validate_args?)"):format(name, parameters), function(self, ...)
    init(self, ...)
    return self
  end)
  function class:init(...) read(self, ...) end
  -- print and .. look in the class itself
  class.__tostring = Distribution.__tostring
  return class
end

-- --- distributions of whole numbers -----------------------------------------------------------------------------

local Categorical = distribution("Categorical", "Tensor? probs, Tensor? logits", function(self, probs, logits)
  check_one(probs, logits)
  self.parameters = {probs and "probs" or "logits"}
  local given = probs or logits
  if given:dim() < 1 then
    fail("ValueError", "`%s` parameter must be at least one-dimensional.", self.parameters[1])
  end
  self.probs = probs and probs / probs:sum(-1, true) or F.softmax(logits, -1)
  self.logits = probs and clamp_probs(self.probs):log() or logits - logits:logsumexp(-1, true)
  self._num_events = given.shape[-1]
  self.batch_shape = given:select(-1, 0).shape
  if probs then check(self, "probs", "Simplex()", self.probs:ge(0) & self.probs:eq(self.probs)) end
end)

function Categorical:sample(sample_shape)
  local _ <close> = torch.no_grad()
  local sizes, count = extended(self, sample_shape), 1
  for i = 1, #sizes - #self.batch_shape do count = count * sizes[i] end
  local rows = torch.multinomial(self.probs:reshape(-1, self._num_events), count, true)
  return rows.T:reshape(sizes)
end

function Categorical:log_prob(value)
  value = value:long():unsqueeze(-1)
  local both = torch.broadcast_tensors(value, self.logits)
  return both[2]:gather(-1, both[1]["..., :1"]):squeeze(-1)
end

function Categorical:entropy()
  local logits = self.logits:clamp{min = torch.finfo(self.logits.dtype).min}
  return -(logits * self.probs):sum(-1)
end

local Bernoulli = distribution("Bernoulli", "probs?, logits?", function(self, probs, logits)
  check_one(probs, logits)
  broadcast(self, {probs and "probs" or "logits"}, probs or logits)
  if probs then
    check(self, "probs", "Interval(lower_bound=0.0, upper_bound=1.0)", self.probs:ge(0) & self.probs:le(1))
    local p = clamp_probs(self.probs)
    self.logits = p:log() - torch.log1p(-p)
  else
    self.probs = torch.sigmoid(self.logits)
  end
  self.mean = self.probs
end)

function Bernoulli:sample(sample_shape)
  local _ <close> = torch.no_grad()
  return torch.bernoulli(self.probs:expand(extended(self, sample_shape)))
end

function Bernoulli:log_prob(value)
  local both = torch.broadcast_tensors(self.logits, value)
  return -F.binary_cross_entropy_with_logits(both[1], both[2], {reduction = "none"})
end

function Bernoulli:entropy()
  return F.binary_cross_entropy_with_logits(self.logits, self.probs, {reduction = "none"})
end

-- --- of the line ------------------------------------------------------------------------------------------------

local Normal = distribution("Normal", "loc?, scale?", function(self, loc, scale)
  broadcast(self, {"loc", "scale"}, loc, scale)
  check(self, "scale", "GreaterThan(lower_bound=0.0)", self.scale:gt(0))
  self.mean, self.stddev, self.variance = self.loc, self.scale, self.scale:pow(2)
end)

function Normal:sample(sample_shape)
  local _ <close> = torch.no_grad()
  local sizes = extended(self, sample_shape)
  return torch.normal(self.loc:expand(sizes), self.scale:expand(sizes))
end

function Normal:rsample(sample_shape)
  local eps = torch.empty(extended(self, sample_shape), {dtype = self.loc.dtype, device = self.loc.device}):normal_()
  return self.loc + eps * self.scale
end

function Normal:log_prob(value)
  return -((value - self.loc) ^ 2) / (2 * self.scale ^ 2) - self.scale:log() - math.log(math.sqrt(2 * math.pi))
end

function Normal:cdf(value) return 0.5 * (1 + torch.erf((value - self.loc) * self.scale:reciprocal() / math.sqrt(2))) end
function Normal:icdf(value) return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2) end
function Normal:entropy() return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale) end

local Uniform = distribution("Uniform", "low?, high?", function(self, low, high)
  broadcast(self, {"low", "high"}, low, high)
  if not self.low:lt(self.high):all():item() then fail("ValueError", "Uniform is not defined when low>= high") end
  self.mean = (self.high + self.low) / 2
end)

function Uniform:rsample(sample_shape)
  local random = torch.rand(extended(self, sample_shape), {dtype = self.low.dtype, device = self.low.device})
  return self.low + random * (self.high - self.low)
end

function Uniform:log_prob(value)
  local inside = self.low:le(value):type_as(self.low) * self.high:gt(value):type_as(self.low)
  return torch.log(inside) - torch.log(self.high - self.low)
end

function Uniform:entropy() return torch.log(self.high - self.low) end

local Exponential = distribution("Exponential", "rate?", function(self, rate)
  broadcast(self, {"rate"}, rate)
  check(self, "rate", "GreaterThan(lower_bound=0.0)", self.rate:gt(0))
  self.mean = self.rate:reciprocal()
end)

function Exponential:rsample(sample_shape)
  return torch.empty(extended(self, sample_shape), {dtype = self.rate.dtype, device = self.rate.device}):exponential_() / self.rate
end

function Exponential:log_prob(value) return self.rate:log() - self.rate * value end
function Exponential:entropy() return 1.0 - torch.log(self.rate) end

local Laplace = distribution("Laplace", "loc?, scale?", function(self, loc, scale)
  broadcast(self, {"loc", "scale"}, loc, scale)
  check(self, "scale", "GreaterThan(lower_bound=0.0)", self.scale:gt(0))
  self.mean, self.stddev, self.variance = self.loc, math.sqrt(2) * self.scale, 2 * self.scale:pow(2)
end)

function Laplace:rsample(sample_shape)
  local eps = torch.finfo(self.loc.dtype).eps
  local u = torch.empty(extended(self, sample_shape), {dtype = self.loc.dtype, device = self.loc.device}):uniform_(eps - 1, 1)
  return self.loc - self.scale * u:sign() * torch.log1p(-u:abs())
end

function Laplace:log_prob(value) return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale end
function Laplace:entropy() return 1 + torch.log(2 * self.scale) end

local LogNormal = distribution("LogNormal", "loc?, scale?", function(self, loc, scale)
  broadcast(self, {"loc", "scale"}, loc, scale)
  check(self, "scale", "GreaterThan(lower_bound=0.0)", self.scale:gt(0))
  self.base_dist = Normal(self.loc, self.scale)
  self.parameters = {} -- as PyTorch prints it
  local variance = self.scale:pow(2)
  self.mean, self.variance = (self.loc + variance / 2):exp(), variance:expm1() * (2 * self.loc + variance):exp()
  self.stddev = self.variance:sqrt()
end)

function LogNormal:rsample(sample_shape) return self.base_dist:rsample(sample_shape):exp() end
function LogNormal:sample(sample_shape) return self.base_dist:sample(sample_shape):exp() end

function LogNormal:log_prob(value)
  local x = value:log()
  return -x + self.base_dist:log_prob(x)
end

function LogNormal:entropy() return self.base_dist:entropy() + self.loc end

-- --- divergence -------------------------------------------------------------------------------------------------

local divergences = {}

function divergences.Normal(p, q)
  local var_ratio, t1 = (p.scale / q.scale):pow(2), ((p.loc - q.loc) / q.scale):pow(2)
  return 0.5 * (var_ratio + t1 - 1 - var_ratio:log())
end

function divergences.Categorical(p, q)
  local t = p.probs * (p.logits - q.logits)
  t = t:masked_fill(q.probs:eq(0):expand_as(t), math.huge)
  return t:masked_fill(p.probs:eq(0):expand_as(t), 0):sum(-1)
end

function divergences.Bernoulli(p, q)
  local t1 = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
  t1 = t1:masked_fill(q.probs:eq(0), math.huge):masked_fill(p.probs:eq(0), 0)
  local t2 = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
  return t1 + t2:masked_fill(q.probs:eq(1), math.huge):masked_fill(p.probs:eq(1), 0)
end

function divergences.Uniform(p, q)
  return ((q.high - q.low) / (p.high - p.low)):log():masked_fill(q.low:gt(p.low) | q.high:lt(p.high), math.huge)
end

function divergences.Exponential(p, q)
  local ratio = q.rate / p.rate
  return -ratio:log() + ratio - 1
end

function divergences.Laplace(p, q)
  local ratio, distance = p.scale / q.scale, (p.loc - q.loc):abs()
  return -ratio:log() + distance / q.scale + ratio * torch.exp(-distance / p.scale) - 1
end

function divergences.LogNormal(p, q) return divergences.Normal(p.base_dist, q.base_dist) end

--- Returns the Kullback-Leibler divergence of two distributions of the same class.
local function kl_divergence(p, q)
  local name = p.__class__.__name__
  if q.__class__ ~= p.__class__ or not divergences[name] then
    fail("NotImplementedError", "No KL(p || q) is implemented for p type %s and q type %s", name, q.__class__.__name__)
  end
  return divergences[name](p, q)
end

local space = {Distribution = Distribution, Categorical = Categorical, Bernoulli = Bernoulli, Normal = Normal, Uniform = Uniform, Exponential = Exponential,
  Laplace = Laplace, LogNormal = LogNormal, kl_divergence = kl_divergence}
for name, class in pairs(torch._part "distributions.vectors"(distribution, extended, check, divergences, kl_divergence)) do space[name] = class end
return torch._namespace(space, "torch.distributions")
