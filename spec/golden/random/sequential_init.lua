-- Layers draw in the order in which they are made.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(0)
local net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for name, p in net:named_parameters() do print(name, p) end
print(net(torch.ones(1, 2)))
torch.manual_seed(0)
local second = nn.Linear(3, 1)
print(second.weight)
