-- cpu only: arrays are on the CPU
-- Arrays as numpy shows them.
local torch = require "torch"
local values = torch.tensor({0.5, -1.25, 3.14159265358979, 1e-3, 250.0, 1/3}, {dtype = torch.float64})
for _, dtype in ipairs{torch.float64, torch.float32, torch.float16} do
  local x = values:to(dtype)
  print(x:numpy())
  print((x * 100):numpy())
  print((x * 1e-4):numpy())
  print(x:reshape(2, 3):numpy())
  print(x:reshape(1, 3, 2):numpy())
  print(x[0]:numpy(), x["0:0"]:numpy(), x["0:1"]:numpy())
  print(torch.zeros(0, 3, {dtype = dtype}):numpy())
  print(torch.tensor({1.0, 0/0, -math.huge}, {dtype = dtype}):numpy())
  print(torch.tensor({math.huge, 0/0}, {dtype = dtype}):numpy())
  print(torch.tensor({0.0, -0.0}, {dtype = dtype}):numpy())
  print(torch.arange(30, {dtype = dtype}):numpy())
end
for k = -12, 12, 3 do print(torch.tensor({2.0 ^ k, 10.0 ^ (k // 3)}, {dtype = torch.float32}):numpy()) end
for _, dtype in ipairs{torch.int64, torch.int32, torch.int16, torch.uint8} do
  print(torch.arange(0, 120, 7, {dtype = dtype}):numpy())
  print(torch.arange(12, {dtype = dtype}):reshape(2, 2, 3):numpy())
end
print(torch.tensor({-5, 10, 300}):numpy())
print(torch.tensor{true, false}:numpy(), torch.tensor(true):numpy(), torch.tensor{{true}, {false}}:numpy())
print(torch.arange(1000):numpy())
print(torch.arange(1001):numpy())
print(torch.arange(2400):reshape(60, 40):numpy())
print((torch.arange(2400.0) / 7):reshape(20, 10, 12):numpy())
