-- Narrow integers and their limits.
local torch = require "torch"
print(torch.tensor({-128, 127}, {dtype = torch.int8}))
print(torch.tensor({0, 255}, {dtype = torch.uint8}))
print(torch.tensor({-32768, 32767}, {dtype = torch.int16}))
print(torch.tensor({-2147483648, 2147483647}, {dtype = torch.int32}))
print(torch.tensor({200, 100}, {dtype = torch.uint8}) + 100)
print(torch.tensor({100}, {dtype = torch.int8}) * 2)
print(torch.iinfo(torch.int8).max, torch.iinfo(torch.int32).min, torch.finfo(torch.float32).max > 3e38)
