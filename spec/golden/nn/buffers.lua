-- Buffers move and are saved, but do not learn.
local torch = require "torch"
local nn = torch.nn
local Net = nn.Module:extend "Net"
function Net:init()
  self.layer = nn.Linear(1, 1)
  self:register_buffer("mean", torch.zeros(2))
  self:register_buffer("scratch", torch.ones(1), {persistent = false})
  self:register_buffer("none", nil)
end
local net = Net()
for name, b in net:named_buffers() do print(name, b) end
for b in net:buffers() do print(b.shape) end
for name in net:named_parameters() do print(name) end
for name in pairs(net:state_dict()) do print(name) end
net.mean = torch.tensor{1.0, 2.0}
print(net.mean, net:state_dict().mean)
net:double()
print(net.mean.dtype, net.scratch.dtype, net.layer.weight.dtype)
print(net:get_buffer("mean"))
