-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.random
> torch.random.manual_seed(0);
> torch.rand(2)
tensor([0.4963, 0.7682])

?torch.bernoulli
> torch.manual_seed(0);
> torch.bernoulli(torch.full({5}, 0.3))
tensor([0., 0., 1., 1., 0.])

?torch.multinomial
> torch.manual_seed(0);
> torch.multinomial(torch.tensor{0.1, 0.6, 0.3}, 4, true)
tensor([2, 2, 1, 2])

?torch.normal
> torch.manual_seed(0);
> torch.normal(torch.zeros(3), torch.ones(3))
tensor([ 1.5410, -0.2934, -2.1788])

?torch.rand
> torch.manual_seed(0);
> torch.rand(2, 2)
tensor([[0.4963, 0.7682],
        [0.0885, 0.1320]])

?torch.rand_like
> torch.manual_seed(0);
> torch.rand_like(torch.zeros(2, 2))
tensor([[0.4963, 0.7682],
        [0.0885, 0.1320]])

?torch.randint
> torch.manual_seed(0);
> torch.randint(0, 10, {4})
tensor([4, 9, 3, 0])

?torch.randint_like
> torch.manual_seed(0);
> torch.randint_like(torch.zeros(4), 10)
tensor([4., 9., 3., 0.])

?torch.randn
> torch.manual_seed(0);
> torch.randn(3)
tensor([ 1.5410, -0.2934, -2.1788])

?torch.randn_like
> torch.manual_seed(0);
> torch.randn_like(torch.zeros(3))
tensor([ 1.5410, -0.2934, -2.1788])

?torch.randperm
> torch.manual_seed(0);
> torch.randperm(5)
tensor([4, 0, 1, 3, 2])

?torch.manual_seed
> torch.manual_seed(42);
> x = torch.rand(2)
> torch.manual_seed(42);
> torch.equal(torch.rand(2), x)
true

?torch.initial_seed
> torch.manual_seed(42);
> torch.initial_seed()
42

?torch.seed
> math.type(torch.seed())
"integer"

?torch.get_rng_state torch.set_rng_state
> state = torch.get_rng_state()
> x = torch.rand(3)
> torch.set_rng_state(state)
> torch.equal(torch.rand(3), x)
true

?torch.default_generator
> torch.default_generator:manual_seed(0);
> torch.rand(2)
tensor([0.4963, 0.7682])

?torch.Generator
> g = torch.Generator():manual_seed(0)
> torch.rand(2, {generator = g})
tensor([0.4963, 0.7682])

?torch.random.fork_rng
> torch.manual_seed(0);
> torch.random.fork_rng(function() torch.rand(100) end)
> torch.rand(2)
tensor([0.4963, 0.7682])

?torch.random.default_generator
> torch.random.default_generator == torch.default_generator
true

?torch.Tensor.bernoulli_
> torch.manual_seed(0);
> torch.zeros(5):bernoulli_(0.3)
tensor([0., 0., 0., 0., 0.])

?torch.Tensor.bernoulli
> torch.manual_seed(0);
> torch.full({5}, 0.3):bernoulli()
tensor([0., 0., 1., 1., 0.])

?torch.Tensor.multinomial
> torch.manual_seed(0);
> torch.tensor{0.1, 0.6, 0.3}:multinomial(4, true)
tensor([2, 2, 1, 2])

?torch.Tensor.cauchy_
> torch.manual_seed(0);
> torch.zeros(3):cauchy_()
tensor([10.5977,  0.7648, -0.1283])

?torch.Tensor.exponential_
> torch.manual_seed(0);
> torch.zeros(3):exponential_(2)
tensor([1.7542, 0.6152, 0.3075])

?torch.Tensor.geometric_
> torch.manual_seed(0);
> torch.zeros(5):geometric_(0.5)
tensor([1., 1., 2., 1., 1.])

?torch.Tensor.log_normal_
> torch.manual_seed(0);
> torch.zeros(3):log_normal_()
tensor([5.9263e+01, 1.5116e+00, 3.4819e-02])

?torch.Tensor.normal_
> torch.manual_seed(0);
> torch.zeros(3):normal_(10, 2)
tensor([13.0820,  9.4131,  5.6424])

?torch.Tensor.random_
> torch.manual_seed(0);
> torch.zeros(4, {dtype = torch.int64}):random_(10)
tensor([4, 9, 3, 0])

?torch.Tensor.uniform_
> torch.manual_seed(0);
> torch.zeros(3):uniform_(-1, 1)
tensor([-0.0075,  0.5364, -0.8230])
]==]
