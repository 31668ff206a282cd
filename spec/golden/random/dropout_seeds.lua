-- Dropout after several seeds.
local torch = require "torch"
for _, seed in ipairs{0, 1, 42, 1000} do
  torch.manual_seed(seed)
  print(torch.nn.functional.dropout(torch.ones(12), 0.3))
  print(torch.nn.functional.dropout(torch.ones(2, 3), 0.6))
end
