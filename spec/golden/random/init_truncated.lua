-- The truncated normal initializer.
local torch = require "torch"
torch.manual_seed(14)
print(torch.nn.init.trunc_normal_(torch.empty(2, 4), {std = 0.5}))
print(torch.nn.init.trunc_normal_(torch.empty(5)))
