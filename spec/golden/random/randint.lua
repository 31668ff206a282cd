-- torch.randint and its ranges.
local torch = require "torch"
torch.manual_seed(0)
print(torch.randint(10, {5}))
print(torch.randint(0, 10, {3, 4}))
print(torch.randint(-5, 5, {8}))
print(torch.randint(0, 2, {10}))
print(torch.randint{low = 3, high = 7, size = {6}})
print(torch.randint(1, {3}))
print(torch.randint(0, 1000000, {4}))
print(torch.randint(0, 256, {5}, {dtype = torch.uint8}))
print(torch.randint(0, 10, {5}, {dtype = torch.float32}))
print(torch.randint(0, 100, {2, 2}, {dtype = torch.int32}))
