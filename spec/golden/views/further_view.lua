-- view and reshape: further operators.
local torch = require "torch"
local x = torch.arange(12)
print(x:view(3, 4):view(torch.int32).shape)
