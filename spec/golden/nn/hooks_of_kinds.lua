-- Hooks before and after a call: their order, keywords, removal.
local torch = require "torch"
local nn = torch.nn
local layer = nn.Linear(2, 1)
nn.init.ones_(layer.weight)
nn.init.zeros_(layer.bias)
local x = torch.ones(1, 2)
local first = layer:register_forward_pre_hook(function(_, args) print("first", args[1]:sum()) end)
layer:register_forward_pre_hook(function(_, args) print("second", args[1]:sum()); return args[1] * 2 end)
local before = layer:register_forward_pre_hook(function() print "before all" end, {prepend = true})
layer:register_forward_hook(function(_, _, out) print("after", out:item()); return out + 1 end)
layer:register_forward_hook(function(_, _, out) print("after, first", out:item()) end, {prepend = true})
print(layer(x):item())
before:remove()
first:remove()
print(layer(x):item())
