-- States loaded into lazy modules before their first input: the sizes are the state's, and stay.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(0)
local function Net() return nn.Sequential(nn.LazyConv2d(2, 3), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2)) end
local full = Net()
local x = torch.rand(2, 1, 4, 4)
full(x)
full:eval()
local net = Net():eval()
print(net[0]:has_uninitialized_params())
print(net:load_state_dict(full:state_dict()))
print(net[0]:has_uninitialized_params(), net[0].weight.shape, net[1].running_mean.shape, net[3].weight.shape)
local weight = net[3].weight
torch.manual_seed(1)
print(torch.equal(net(x), full(x)))
print(torch.rand(1))

print(rawequal(weight, net[3].weight))
