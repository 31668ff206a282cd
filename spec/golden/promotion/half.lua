-- Rounding in float16 and bfloat16.
local torch = require "torch"
local h = torch.tensor({1.0, 2048.0, 0.1}, {dtype = torch.float16})
print(h + 1, h * h, h / 3, h:sum(), h:mean())
local b = torch.tensor({1.0, 256.0, 0.1}, {dtype = torch.bfloat16})
print(b + 1, b * b, b / 3, b:sum(), b:mean())
print((h + b).dtype, (h + 1.5).dtype, (b * torch.ones(3)).dtype, h:exp(), b:sqrt())
print(torch.tensor({65504.0}, {dtype = torch.float16}) * 2, torch.tensor({1e-8}, {dtype = torch.float16}))
print(torch.tensor({1.00390625, 1.01171875}):to(torch.bfloat16))
