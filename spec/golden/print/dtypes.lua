-- Every dtype prints its name unless it is the default of its kind.
local torch = require "torch"
for _, dtype in ipairs{torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
                       torch.float16, torch.bfloat16, torch.float32, torch.float64} do
  print(torch.tensor({0, 1, 2}, {dtype = dtype}))
  print(torch.tensor({{1, 1}, {0, 1}}, {dtype = dtype}))
  print(torch.tensor(1, {dtype = dtype}))
  print(dtype)
end
