-- Initial values of linear layers of several sizes and dtypes.
local torch = require "torch"
local nn = torch.nn
for seed = 0, 4 do
  torch.manual_seed(seed)
  print(nn.Linear(3, 2).weight) print(nn.Linear(1, 1).bias) print(nn.Linear(20, 3).weight[1]) print(nn.Linear(5, 4, {bias = false}).weight)
  print(nn.Linear(2, 2, {dtype = torch.float64}).weight)
  print(torch.rand(1))
end
