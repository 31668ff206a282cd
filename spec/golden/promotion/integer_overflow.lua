-- Integers wrap around.
local torch = require "torch"
print(torch.tensor({127}, {dtype = torch.int8}) + 1)
print(torch.tensor({255}, {dtype = torch.uint8}) * 2)
print(torch.tensor({0}, {dtype = torch.uint8}) - 1)
print(torch.tensor{9223372036854775807} + 1)
print(torch.tensor({2147483647}, {dtype = torch.int32}) + 1)
print(-torch.tensor({-128}, {dtype = torch.int8}))
print(torch.tensor({3}, {dtype = torch.uint8}):neg())
print(torch.tensor({200, 100}, {dtype = torch.uint8}):sum(), torch.tensor({16}, {dtype = torch.uint8}) ^ 2)
print(torch.tensor{-1}:to(torch.uint8), torch.tensor{70000}:to(torch.int16), torch.tensor{3.99}:to(torch.int8))
