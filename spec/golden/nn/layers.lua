-- Layers without parameters.
local torch = require "torch"
local nn = torch.nn
local x = torch.tensor{{-1.0, 0.0, 2.0}, {3.0, -4.0, 0.5}}
print(nn.ReLU()(x))
print(nn.Sigmoid()(x))
print(nn.Tanh()(x))
print(nn.Softmax{dim = 1}(x))
print(nn.LogSoftmax{dim = 0}(x))
print(nn.Identity()(x))
print(nn.Flatten()(torch.zeros(2, 3, 4)).shape, nn.Flatten(0)(torch.zeros(2, 3, 4)).shape, nn.Flatten(0, 1)(torch.zeros(2, 3, 4)).shape)
print(nn.Flatten{start_dim = 2}(torch.zeros(2, 3, 4, 5)).shape)
print(nn.Dropout(0.5):eval()(x))
local y = x:clone()
nn.ReLU(true)(y)
print(y)
print(nn.LeakyReLU(0.1)(x), nn.GELU()(x / 4))
