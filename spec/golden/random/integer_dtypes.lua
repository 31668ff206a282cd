-- Integers of every kind and width.
local torch = require "torch"
torch.manual_seed(77)
for _, d in ipairs{torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.float32, torch.float64, torch.float16, torch.bfloat16} do
  print(torch.randint(0, 100, {5}, {dtype = d}))
  print(torch.zeros(5, {dtype = d}):random_(1, 50))
  print(torch.zeros(5, {dtype = d}):random_(20))
end
print(torch.randint(0, 2, {5}, {dtype = torch.bool}))
for _, n in ipairs{1, 2, 5, 10, 40, 1000} do print(torch.randperm(n)[":8"], torch.randperm(n, {dtype = torch.int32})[":4"]) end
print(torch.randint(0, 2^40 // 1 | 0, {3}), torch.randint(-2^50 // 1 | 0, 2^50 // 1 | 0, {3}))
print(torch.randint_like(torch.ones(3, {dtype = torch.int64}), 10), torch.randint_like(torch.ones(3), 5, 10))
print(torch.rand_like(torch.ones(2, 3)), torch.randn_like(torch.ones(2, 3, {dtype = torch.float64})))
print(torch.randn_like(torch.ones(3, {dtype = torch.int64}), {dtype = torch.float32}))
print(torch.randn(20, {dtype = torch.bfloat16}), torch.randn(20, {dtype = torch.float16}))
print(torch.randn(5, {dtype = torch.bfloat16}), torch.randn(5, {dtype = torch.float16}))
print(torch.rand(1))
print(torch.rand(1))
print(torch.rand(1))
