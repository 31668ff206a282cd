-- cpu only: is about dropout on the CPU
-- On the CPU dropout draws before it refuses.
local torch = require "torch"
local F = torch.nn.functional
for _, refused in ipairs {torch.tensor {1, 2, 3}, torch.tensor {true, false}} do
  torch.manual_seed(0)
  print((pcall(F.dropout, refused)))
  print(torch.rand(1))
end
