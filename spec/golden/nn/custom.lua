-- A class of one's own.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional
local Net = nn.Module:extend "Net"
function Net:init(inputs, hidden)
  self.first = nn.Linear(inputs, hidden)
  self.second = nn.Linear(hidden, 1)
  self.scale = 2.5
end
function Net:forward(x)
  return self.second(F.relu(self.first(x))) * self.scale
end
torch.manual_seed(1)
local net = Net(3, 4)
print(net)
print(net(torch.ones(2, 3)))
print(net.scale, net.first, net.missing)
print(net:isinstance(Net), net:isinstance(nn.Module), net:isinstance(nn.Linear), net.first:isinstance(nn.Linear))
for name, p in net:named_parameters() do print(name, p.shape, p.requires_grad) end
local other = Net(1, 1)
other.scale = 3
print(net.scale, other.scale)
