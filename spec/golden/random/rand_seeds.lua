-- torch.rand after many seeds.
local torch = require "torch"
for _, seed in ipairs{0, 1, 2, 7, 42, 123, 1234, 2024, 65536, 4294967295, 4294967296, 1234567890123} do
  torch.manual_seed(seed)
  print(seed, torch.rand(3))
end
torch.manual_seed(-1)
print(torch.rand(2))
