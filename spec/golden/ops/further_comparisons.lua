-- Comparisons: further operators.
local torch = require "torch"
local a, b = torch.tensor{1.0, 2.0, 3.0}, torch.tensor{3.0, 2.0, 1.0}
local nan = torch.tensor{0.0} / 0
print(torch.allclose(a, a + 1e-7), torch.allclose(a, b), torch.isclose(a, b), torch.allclose(nan, nan, {equal_nan = true}))
print(torch.maximum(a, b), torch.minimum(a, b), torch.fmax(nan, torch.ones(1)), torch.maximum(nan, torch.ones(1)))
