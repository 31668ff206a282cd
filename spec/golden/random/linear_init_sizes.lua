-- Initial weights of many sizes.
local torch = require "torch"
local nn = torch.nn
for _, size in ipairs{{1, 1}, {2, 8}, {5, 3}, {7, 7}, {20, 2}, {64, 1}} do
  torch.manual_seed(size[1] + size[2])
  local layer = nn.Linear(size[1], size[2])
  print(size[1], size[2], layer.weight[0]["0:4"], layer.bias)
end
torch.manual_seed(1)
print(nn.Linear(3, 3, {dtype = torch.float64}).weight)
