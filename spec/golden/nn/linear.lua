-- What Linear computes.
local torch = require "torch"
local nn = torch.nn
local layer = nn.Linear(3, 2)
torch.no_grad(function()
  layer.weight:copy_(torch.tensor{{1.0, 2.0, 3.0}, {0.5, -1.0, 0.0}})
  layer.bias:copy_(torch.tensor{10.0, -10.0})
end)
print(layer(torch.ones(3)))
print(layer(torch.ones(2, 3)))
print(layer(torch.ones(2, 2, 3)).shape, layer(torch.ones(0, 3)).shape)
print(layer.in_features, layer.out_features, layer.weight.shape, layer.bias.shape)
layer(torch.ones(4, 3)):sum():backward()
print(layer.weight.grad, layer.bias.grad)
