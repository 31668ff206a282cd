-- sum, mean, prod and their dimensions.
local torch = require "torch"
local x = torch.arange(6.):reshape(2, 3)
print(x:sum(), x:sum(0), x:sum(1), x:sum(-1), x:sum{dim = 1, keepdim = true}, x:sum({0, 1}), torch.sum(x, {dim = {0, 1}}))
print(x:mean(), x:mean(0), x:mean(1), x:mean{dim = 0, keepdim = true}, x:mean({0, 1}), torch.mean(x, 1))
print(x:prod(), x:prod(1), torch.prod(x + 1, 0))
print(x:std(), x:var(), x:std(1), x:var(0), x:std{dim = 1, correction = 0}, x:var{unbiased = false})
print(x:norm(), x:norm(1), x:norm{dim = 1, p = 2}, torch.linalg.norm(x), torch.linalg.vector_norm(x, {dim = 0}))
print(x:any(), x:all(), x:any(1), x:all(1), x:gt(2):any(), x:ge(0):all(), x:gt(2):all{dim = 0, keepdim = true})
print(x:cumsum(0), x:cumsum(1), x:cumprod(1), torch.cumsum(torch.tensor{1, 2, 3}, 0))
print(torch.tensor{true, true, false}:sum(), x:gt(1):sum(), x:gt(1):sum(0), x:count_nonzero())
print(x:median(), torch.tensor{3, 1, 2, 4}:median(), x:logsumexp(1))
-- unbiased and keepdim want a dim, be it nil
for _, name in ipairs{"std", "var", "std_mean", "var_mean"} do
  print(torch[name](x, nil, {unbiased = true, keepdim = true}))
  print((tostring(select(2, pcall(torch[name], x, {unbiased = true, keepdim = true}))):match "[^\n]*"))
end
