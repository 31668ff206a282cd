-- Other distributions in place.
local torch = require "torch"
torch.manual_seed(16)
print(torch.zeros(4):exponential_())
print(torch.zeros(2):exponential_(2.0))
print(torch.rand(2))
