-- randn in matrices: whole blocks of 16 run over rows.
local torch = require "torch"
for _, shape in ipairs{{3, 5}, {4, 4}, {2, 9}, {5, 7}} do
  torch.manual_seed(100)
  print(torch.randn(shape))
end
torch.manual_seed(100)
print(torch.randn(2, 2, 5))
