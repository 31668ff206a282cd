-- Draws of many sizes, one stream each.
local torch = require "torch"
local nn = torch.nn
for _, n in ipairs{1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 31, 32, 33, 47, 100} do
  torch.manual_seed(n * 31)
  local a = torch.randn(n)
  print(n, a[":3"], a["-3:"])
  print(torch.rand(n)["-3:"], torch.randn(n)["-2:"])
  print(torch.randint(0, 100, {n})["-3:"], torch.randperm(n)["-3:"])
  print(torch.bernoulli(torch.full({n}, 0.4)))
  print(torch.empty(n):bernoulli_(0.4))
  print(torch.randn(n, {dtype = torch.float64})["-2:"])
  print(torch.empty(n):normal_(2, 3)["-2:"], torch.empty(n):uniform_(-1, 2)["-2:"])
  print(torch.nn.functional.dropout(torch.ones(n), 0.5))
  print(torch.normal(0.0, torch.full({n}, 2.0))["-2:"])
  print(torch.normal(torch.arange(n):float(), 1.0)["-2:"])
  print(torch.normal(torch.arange(n):float(), torch.ones(n))["-2:"])
  print(torch.normal(1, 2, {n})["-2:"])
  print(torch.normal{mean = 0.5, std = 0.1, size = {n}}["-2:"])
  print(torch.rand(1))
end
