-- The same seed gives the same numbers again.
local torch = require "torch"
torch.manual_seed(77)
local a = torch.rand(3, 3)
local b = torch.randn(20)
torch.manual_seed(77)
print(torch.equal(a, torch.rand(3, 3)), torch.equal(b, torch.randn(20)))
torch.manual_seed(78)
print(torch.equal(a, torch.rand(3, 3)))
torch.random.manual_seed(77)
print(torch.equal(a, torch.rand(3, 3)))
print(torch.initial_seed())
