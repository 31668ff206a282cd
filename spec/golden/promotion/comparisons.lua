-- Comparisons answer bool.
local torch = require "torch"
local i, f, d, b = torch.arange(3), torch.tensor{0.5, 1.0, 2.5}, torch.arange(3.):double(), torch.tensor{true, false, true}
print(i:eq(f), i:lt(f), f:ge(d), d:ne(i), b:eq(i), b:gt(0.5))
print(i:gt(0.5), f:le(1), i:eq(true), b:eq(true))
print(i:eq(d).dtype, (i:lt(1)).dtype)
print(torch.eq(i, 1), torch.gt(f, i))
print(torch.tensor{1, 2}:eq(1.5), torch.tensor{16777217}:eq(torch.tensor{16777216.0}))
print(i:logical_and(f), i:logical_not(), b:logical_or(i), b:logical_xor(b))
print(b & torch.tensor{true, true, false}, b | torch.tensor{false, false, true}, ~b, b:bitwise_xor(b))
print(i & 1, i | 4, ~i, i << 2, i >> 1, i & b)
