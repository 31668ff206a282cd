-- cpu only: prints the signs of zeros of the CPU's vectors
-- What softshrink takes for zero has the input's sign only in the elements that fill no vector.
local torch = require "torch"
local F = torch.nn.functional
print(F.softshrink(torch.tensor({-0.25, 0.25, -2.0})))
print(torch.signbit(F.softshrink(torch.full({32}, -0.25))))
