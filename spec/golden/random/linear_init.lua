-- nn.Linear draws its weight, then its bias.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(42)
local layer = nn.Linear(3, 2)
print(layer.weight)
print(layer.bias)
layer = nn.Linear{in_features = 1, out_features = 1}
print(layer.weight, layer.bias)
layer = nn.Linear(4, 5, {bias = false})
print(layer.weight)
print(layer.bias)
layer = nn.Linear(10, 10)
print(layer.weight)
print(layer.bias)
print(torch.rand(1))
