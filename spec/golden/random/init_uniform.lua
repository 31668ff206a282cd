-- The initializers of nn.init: uniform and normal.
local torch = require "torch"
local init = torch.nn.init
torch.manual_seed(21)
local w = torch.empty(2, 3)
print(init.uniform_(w))
print(init.uniform_(w, -2, 2))
print(init.uniform_(w, {a = 5, b = 6}))
print(init.normal_(w))
print(init.normal_(w, {mean = 1, std = 0.1}))
print(init.constant_(w, 0.25))
print(init.ones_(w))
print(init.zeros_(w))
print(init.eye_(w))
