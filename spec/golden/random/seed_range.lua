-- Seeds of every kind.
local torch = require "torch"
for _, s in ipairs{0, 1, 42, 123456789, 2^32 | 0, 2^40 | 0, -1, -42, math.maxinteger, math.mininteger} do
  torch.manual_seed(s)
  print(s, torch.initial_seed(), torch.rand(2), torch.randn(2))
  print(torch.empty(6):bernoulli_(0.5), torch.randperm(4))
end
torch.random.manual_seed(3)
print(torch.rand(2))
print(torch.random.initial_seed())
print(torch.default_generator == nil)
local g = torch.default_generator
g:manual_seed(9)
print(torch.rand(2), torch.initial_seed())
torch.cuda.manual_seed(3)
torch.cuda.manual_seed_all(3)
print(torch.rand(2))
local g1, g2 = torch.Generator():manual_seed(1), torch.Generator{device = "cpu"}
g2:manual_seed(1)
print(torch.rand(2, {generator = g1}):eq(torch.rand(2, {generator = g2})))
print(torch.rand(1))
torch.manual_seed(2.0)
print(torch.rand(1))
