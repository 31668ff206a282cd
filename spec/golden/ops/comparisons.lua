-- Comparisons.
local torch = require "torch"
local a, b = torch.tensor{1.0, 2.0, 3.0}, torch.tensor{3.0, 2.0, 1.0}
print(a:eq(b), a:ne(b), a:lt(b), a:le(b), a:gt(b), a:ge(b))
print(torch.eq(a, 2), torch.ne(a, 2), torch.lt(a, 2), torch.le(a, 2), torch.gt(a, 2), torch.ge(a, 2))
local nan = torch.tensor{0.0} / 0
print(nan:eq(nan), nan:ne(nan), nan:lt(1), nan:isnan(), torch.isinf(torch.tensor{1 / 0, 1.0}), torch.isfinite(torch.tensor{1 / 0, 1.0}))
print(torch.equal(a, b), torch.equal(a, a:clone()), torch.equal(a, torch.ones(2)), torch.equal(nan, nan))
print(torch.allclose(a, a + 0.01, {atol = 0.1}), torch.allclose(a, a + 0.01, {rtol = 0.1}))
print(torch.allclose(a, a + 1e-7), torch.allclose(a, b), torch.isclose(a, b), torch.allclose(nan, nan, {equal_nan = true}))
print(torch.maximum(a, b), torch.minimum(a, b), torch.fmax(nan, torch.ones(1)), torch.maximum(nan, torch.ones(1)))
