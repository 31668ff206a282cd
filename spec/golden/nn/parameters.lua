-- Parameters of one's own, their order, and nil.
local torch = require "torch"
local nn = torch.nn
local Net = nn.Module:extend "Net"
function Net:init()
  self.w = nn.Parameter(torch.ones(2, 3))
  self.layer = nn.Linear(2, 1)
  self.b = nn.Parameter(torch.zeros(3))
  self.plain = torch.ones(4)
  self:register_parameter("none", nil)
  self:register_parameter("extra", nn.Parameter(torch.ones(1)))
end
local net = Net()
for name, p in net:named_parameters() do print(name, p.shape) end
print(net.none, net.plain)
net.w = nn.Parameter(torch.zeros(1))
print(net.w)
net.b.requires_grad = false
for name, p in net:named_parameters() do print(name, p.requires_grad) end
net.extra = nil
for name in net:named_parameters() do print(name) end
print(net)
net.layer = nn.Linear(3, 3)
print(net.layer)
for name in net:named_parameters{recurse = false} do print(name) end
for name in net:named_parameters{prefix = "net"} do print(name) end
