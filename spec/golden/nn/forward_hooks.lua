-- Hooks on modules.
local torch = require "torch"
local nn = torch.nn
local layer = nn.Linear(1, 1)
nn.init.ones_(layer.weight)
nn.init.zeros_(layer.bias)
local handle = layer:register_forward_hook(function(_, _, output) return output * 10 end)
print(layer(torch.ones(1, 1)))
handle:remove()
print(layer(torch.ones(1, 1)))
