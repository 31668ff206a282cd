-- get_submodule, get_parameter and friends.
local torch = require "torch"
local nn = torch.nn
local Net = nn.Module:extend "Net"
function Net:init()
  self.encoder = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
  self.head = nn.Linear(3, 1)
end
local net = Net()
print(net:get_submodule("encoder.0"))
print(net:get_submodule("head"))
print(net:get_parameter("encoder.0.bias").shape, net:get_parameter("head.weight").shape)
print(net:get_submodule(""):isinstance(Net))
net:add_module("extra", nn.ReLU())
net:register_module("more", nn.Flatten())
print(net)
print(net.extra, net.more)
