-- rand_like, randn_like, randint_like.
local torch = require "torch"
torch.manual_seed(8)
local x = torch.zeros(2, 3)
print(torch.rand_like(x))
print(torch.randn_like(x))
print(torch.randint_like(x, 10))
print(torch.randint_like(x, 5, 8))
print(torch.rand_like(x:double()))
print(torch.randn_like(torch.zeros(17)))
print(torch.rand_like(torch.zeros(2, {dtype = torch.int64}), {dtype = torch.float32}))
