local torch = require "torch"
local x = torch.arange(6.):reshape(2, 3)
print(x:sum(), x:sum(0), x:sum(1), x:sum(-1), x:sum{dim = 1, keepdim = true}, x:sum({0, 1}), torch.sum(x, {dim = {0, 1}}))
print(x:mean(), x:mean(0), x:mean(1), x:mean{dim = 0, keepdim = true}, x:mean({0, 1}), torch.mean(x, 1))
