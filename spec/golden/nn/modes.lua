-- train, eval, requires_grad_ and zero_grad.
local torch = require "torch"
local nn = torch.nn
local net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5), nn.Sequential(nn.ReLU()))
print(net.training, net[1].training, net[2][0].training)
net:eval()
print(net.training, net[1].training, net[2][0].training)
net:train()
print(net.training, net[1].training)
net[1]:eval()
print(net.training, net[1].training)
net:train(false)
print(net.training)
print(rawequal(net:train(), net) or net:train().training)
net:requires_grad_(false)
print(net[0].weight.requires_grad)
net:requires_grad_()
net(torch.ones(1, 2)):sum():backward()
print(net[0].bias.grad ~= nil)
net:zero_grad()
print(net[0].bias.grad)
net(torch.ones(1, 2)):sum():backward()
net:zero_grad{set_to_none = false}
print(net[0].bias.grad)
