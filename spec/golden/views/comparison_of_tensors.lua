-- == and < answer true or false for one element.
local torch = require "torch"
local a, b = torch.tensor(3), torch.tensor(3.0)
print(a == b, a < b, a <= b, a > torch.tensor(1), a < 4, 2 < a, a >= 3)
print(torch.tensor{5} == torch.tensor{5}, torch.tensor{{5}} == torch.tensor(6))
print(a == 3, a ~= 3)
print(a:eq(3), a:eq(b))
print(torch.zeros(2):eq(0):all(), torch.zeros(2):eq(0):any())
print(a.dtype == torch.int64, a.dtype == b.dtype, a.device == b.device, a.shape == b.shape)
