-- nets.lua: the networks that the ranks of bench/distributed train; nets.py has PyTorch's.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local nets = {}

local function adam(parameters) return optim.Adam(parameters, {lr = 0.001}) end

function nets.mlp()
  return {
    module = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)),
    optimizer = adam,
    loss = nn.CrossEntropyLoss(),
    x = torch.rand(64, 784),
    y = torch.randint(0, 10, {64}),
  }
end

function nets.convnet()
  return {
    module = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
      nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10)),
    optimizer = adam,
    loss = nn.CrossEntropyLoss(),
    x = torch.rand(64, 1, 28, 28),
    y = torch.randint(0, 10, {64}),
  }
end

return nets
