-- Random numbers in float16 and bfloat16.
local torch = require "torch"
torch.manual_seed(6)
print(torch.rand(5, {dtype = torch.float16}))
print(torch.rand(5, {dtype = torch.bfloat16}))
print(torch.rand(2))
