-- torch.distributions: vectors, and those that exponentials make; divergences.
local torch = require "torch"
local D = torch.distributions
torch.manual_seed(0)
local base = D.Normal(torch.tensor{{0.0, 1.0, 2.0}, {0.5, 0.5, 0.5}}, torch.tensor{1.0, 0.5, 2.0})
local i = D.Independent(base, 1)
print(i, i.batch_shape, i.event_shape)
local x = i:sample()
print(x, i:log_prob(x), i:entropy(), D.Independent(base, 2):log_prob(x), D.Independent(base, 0):log_prob(x))
print(i:rsample{2}.shape, i.mean, i.stddev)
print(D.kl_divergence(i, D.Independent(D.Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1)))

local covariance = torch.tensor{{2.0, 0.5}, {0.5, 1.0}}
for _, m in ipairs{D.MultivariateNormal(torch.tensor{1.0, -1.0}, covariance), D.MultivariateNormal(torch.zeros(3, 2), {scale_tril = torch.linalg.cholesky(covariance)}),
  D.MultivariateNormal(torch.zeros(2), {precision_matrix = covariance}),
  D.MultivariateNormal(torch.zeros(2), torch.stack({covariance, 2 * covariance}))} do
  print(m, m.batch_shape, m.event_shape)
  local v = m:rsample{2}
  print(v, m:log_prob(v), m:entropy(), m.mean, m.variance)
  print(m.covariance_matrix, m.precision_matrix, m.scale_tril)
  print(m:log_prob(torch.zeros(2)), D.kl_divergence(m, D.MultivariateNormal(torch.zeros(2), torch.eye(2))))
end
local mu = torch.tensor({0.5, 0.0}, {requires_grad = true})
D.MultivariateNormal(mu, covariance):log_prob(torch.tensor{1.0, 2.0}):backward()
print(mu.grad)

local l = D.Laplace(torch.tensor{0.0, 1.0}, torch.tensor{1.0, 2.0})
print(l, l:sample{2}, l:log_prob(torch.tensor(0.5)), l:entropy(), l.stddev, l.variance)
local n = D.LogNormal(torch.tensor{0.0, 1.0}, 0.5)
print(n, n:sample(), n:rsample(), n:log_prob(torch.tensor(2.0)), n:entropy(), n.mean, n.variance)
local normal = D.Normal(0.0, 2.0)
print(normal:cdf(torch.tensor{-1.0, 0.0, 3.0}), normal:icdf(torch.tensor{0.1, 0.5, 0.9}))
local kl = D.kl_divergence
print(kl(D.Bernoulli(torch.tensor{0.3, 1.0, 0.5}), D.Bernoulli(torch.tensor{0.5, 0.5, 0.0})), kl(D.Exponential(1.0), D.Exponential(3.0)))
print(kl(D.Uniform(0.0, 1.0), D.Uniform(torch.tensor{-1.0, 0.5}, 2.0)), kl(l, D.Laplace(0.0, 1.0)), kl(n, D.LogNormal(0.0, 1.0)))
for _, wrong in ipairs{
  function() D.MultivariateNormal(torch.zeros(2)) end,
  function() D.MultivariateNormal(torch.zeros(2), torch.eye(2), {scale_tril = torch.eye(2)}) end,
  function() D.MultivariateNormal(torch.tensor(0.0), torch.eye(2)) end,
  function() D.MultivariateNormal(torch.zeros(2), torch.zeros(2)) end,
  function() D.MultivariateNormal(torch.zeros(2), -torch.eye(2)) end,
  function() D.MultivariateNormal(torch.zeros(2), {scale_tril = torch.ones(2, 2)}) end,
  function() D.Independent(base, 3) end,
} do
  local ok, problem = pcall(wrong)
  print((tostring(problem):match "[^\n]*"))
end
