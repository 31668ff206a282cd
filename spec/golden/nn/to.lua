-- Moving and converting.
local torch = require "torch"
local nn = torch.nn
local net = nn.Sequential(nn.Linear(2, 1))
net:to(torch.float64)
print(net[0].weight.dtype, net(torch.ones(1, 2, {dtype = torch.float64})).dtype)
net:float()
print(net[0].weight.dtype)
net:half()
print(net[0].bias.dtype)
net:bfloat16()
print(net[0].bias.dtype)
net:to("cpu", torch.float32)
print(net[0].bias.dtype, net[0].bias.device)
net:to{dtype = torch.float64, device = "cpu"}
print(net[0].bias.dtype)
local weight = net[0].weight
net:to(torch.float32)
print(weight.dtype, weight.is_leaf)
net:to("meta")
print(net[0].weight.device, net[0].weight.shape)
print(nn.Linear(2, 3, {device = "meta", dtype = torch.float64}).weight)
