-- torch.multinomial with and without replacement.
local torch = require "torch"
torch.manual_seed(0)
print(torch.multinomial(torch.tensor{0.0, 10.0, 3.0, 0.0}, 2))
print(torch.multinomial(torch.tensor{0.1, 0.2, 0.7}, 1))
print(torch.multinomial(torch.ones(5), 5))
print(torch.multinomial(torch.tensor{0.0, 10.0, 3.0, 0.0}, {num_samples = 8, replacement = true}))
print(torch.multinomial(torch.tensor{{1.0, 0.0}, {0.5, 0.5}}, {num_samples = 4, replacement = true}))
print(torch.multinomial(torch.ones(2, 4), 3))
print(torch.rand(1))
