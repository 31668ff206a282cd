-- torch.distributions: samples of a seed, densities, entropies, gradients through samples.
local torch = require "torch"
local D = torch.distributions
torch.manual_seed(0)
local probs = torch.tensor{{0.1, 0.2, 0.7}, {3.0, 1.0, 0.0}}
local m = D.Categorical(probs)
print(m)
local action = m:sample()
print(action, m:log_prob(action), m:entropy())
print(m:sample{4})
print(m.probs, m.logits)
local l = D.Categorical{logits = torch.tensor{0.5, -1.0, 2.0}}
print(l)
print(l:sample(), l:sample{2, 3}, l:log_prob(torch.tensor{0, 2}), l.probs)
local w = torch.tensor({1.0, 2.0}, {requires_grad = true})
;(-D.Categorical{logits = w}:log_prob(torch.tensor(1))):backward()
print(w.grad)

local n = D.Normal(torch.tensor{0.0, 1.0}, torch.tensor{1.0, 0.5})
print(n, n:sample(), n:rsample{3}, n:log_prob(torch.tensor(0.5)), n:entropy())
local mu = torch.tensor({0.5}, {requires_grad = true})
local z = D.Normal(mu, torch.tensor{2.0}):rsample()
z:sum():backward()
print(z, mu.grad)
print(D.kl_divergence(n, D.Normal(0.0, 1.0)), D.kl_divergence(m, D.Categorical(torch.ones(2, 3))))

local b = D.Bernoulli(torch.tensor{0.3, 0.8})
print(b)
print(b:sample(), b:sample{2}, b:log_prob(torch.tensor{1.0, 0.0}), b:entropy())
print(D.Normal(0.0, 1.0))
print(D.Bernoulli{logits = torch.tensor{0.0, 3.0}}.probs)
local u = D.Uniform(torch.tensor{0.0, 1.0}, torch.tensor{2.0, 5.0})
print(u, u:sample(), u:log_prob(torch.tensor(1.5)), u:entropy())
local e = D.Exponential(torch.tensor{1.0, 3.0})
print(e, e:sample(), e:log_prob(torch.tensor(1.5)), e:entropy())
for _, wrong in ipairs{
  function() D.Normal(torch.tensor{0.0, 1.0}, torch.tensor{1.0, -1.0}) end,
  function() D.Bernoulli(torch.tensor{2.0}) end,
  function() D.Categorical() end,
  function() D.Categorical(torch.tensor(1.0)) end,
} do
  local ok, problem = pcall(wrong)
  print((tostring(problem):match "[^\n]*"))
end
