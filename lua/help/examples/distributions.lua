-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.distributions.Bernoulli
> torch.manual_seed(0);
> d = torch.distributions.Bernoulli(torch.tensor{0.3, 0.9})
> d:sample(), d.mean
tensor([0., 1.])	tensor([0.3000, 0.9000])
> d:log_prob(torch.tensor{1., 1.})
tensor([-1.2040, -0.1054])

?torch.distributions.Categorical
> torch.manual_seed(0);
> d = torch.distributions.Categorical(torch.tensor{0.1, 0.6, 0.3})
> d:sample{5}
tensor([2, 2, 1, 2, 1])
> d:log_prob(torch.tensor{1}), d:entropy()
tensor([-0.5108])	tensor(0.8979)

?torch.distributions.Exponential
> torch.manual_seed(0);
> d = torch.distributions.Exponential(2.)
> d:sample{2}, d.mean
tensor([1.7542, 0.6152])	tensor(0.5000)

?torch.distributions.Normal
> torch.manual_seed(0);
> d = torch.distributions.Normal(0., 2.)
> d:sample{3}
tensor([ 3.0820, -0.5869, -4.3576])
> d:log_prob(torch.tensor(0.)), d.variance
tensor(-1.6121)	tensor(4.)

?torch.distributions.Uniform
> torch.manual_seed(0);
> d = torch.distributions.Uniform(0., 10.)
> d:sample{3}
tensor([4.9626, 7.6822, 0.8848])
> d:log_prob(torch.tensor(5.))
tensor(-2.3026)

?torch.distributions.Distribution
> d = torch.distributions.Normal(0., 1.)
> d:isinstance(torch.distributions.Distribution)
true
> d:entropy()
tensor(1.4189)

?torch.distributions.kl_divergence
> p, q = torch.distributions.Normal(0., 1.), torch.distributions.Normal(1., 1.)
> torch.distributions.kl_divergence(p, q)
tensor(0.5000)

?torch.distributions.Laplace
> torch.manual_seed(0);
> d = torch.distributions.Laplace(0., 1.)
> d:sample{3}
tensor([-0.0075,  0.7688, -1.7319])
> d:log_prob(torch.tensor(1.)), d.variance
tensor(-1.6931)	tensor(2.)

?torch.distributions.LogNormal
> torch.manual_seed(0);
> d = torch.distributions.LogNormal(0., 0.5)
> d:sample{3}
tensor([2.1608, 0.8635, 0.3364])
> d:log_prob(torch.tensor(1.)), d.mean
tensor(-0.2258)	tensor(1.1331)

?torch.distributions.Independent
> base = torch.distributions.Normal(torch.zeros(3), torch.ones(3))
> d = torch.distributions.Independent(base, 1)
> d.batch_shape, d.event_shape
torch.Size([])	torch.Size([3])
> base:log_prob(torch.zeros(3)), d:log_prob(torch.zeros(3))
tensor([-0.9189, -0.9189, -0.9189])	tensor(-2.7568)

?torch.distributions.MultivariateNormal
> torch.manual_seed(0);
> d = torch.distributions.MultivariateNormal(torch.zeros(2), torch.tensor{{2., 0.5}, {0.5, 1.}})
> d:sample{2}
tensor([[ 2.1793,  0.2703],
        [-3.0813, -0.2386]])
> d:log_prob(torch.zeros(2)), d.variance
tensor(-2.1177)	tensor([2.0000, 1.0000])
]==]
