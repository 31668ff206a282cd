-- multinomial in every form, then what comes after.
local torch = require "torch"
torch.manual_seed(4)
local p = torch.tensor{0.1, 0.2, 0.3, 0.4}
print(torch.multinomial(p, 1), torch.multinomial(p, 1, true), torch.multinomial(p, 3), torch.multinomial(p, 12, true))
print(torch.rand(1))
local m = torch.tensor{{1, 2, 3}, {3, 2, 1}, {0, 1, 0}}:float()
print(torch.multinomial(m, 1), torch.multinomial(m, 5, true), torch.multinomial(m["0:2"], 2))
print(torch.rand(1))
print(torch.multinomial(torch.rand(30), 10), torch.multinomial(torch.ones(20, {dtype = torch.float64}), 20))
print(torch.multinomial(torch.softmax(torch.randn(5, 7), 1), 1):squeeze())
print(p:multinomial(2), p:multinomial{num_samples = 2, replacement = true})
print(torch.rand(1))
local counts = torch.bincount(torch.multinomial(p, 1000, true))
print(counts, counts:sum())
local probs = torch.tensor{0.0, 0.5, 0.5}
print(torch.multinomial(probs, 10, true):bincount{minlength = 4})
print(torch.randn(3))
