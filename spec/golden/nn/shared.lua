-- A parameter that is used twice is counted once.
local torch = require "torch"
local nn = torch.nn
local Net = nn.Module:extend "Net"
function Net:init()
  self.a = nn.Linear(2, 2)
  self.b = nn.Linear(2, 2)
  self.b.weight = self.a.weight
  self.c = self.a
end
function Net:forward(x) return self.c(self.b(self.a(x))) end
local net = Net()
for name in net:named_parameters() do print(name) end
for name in pairs(net:state_dict()) do print(name) end
for name in net:named_modules() do print("[" .. name .. "]") end
print(net)
net(torch.ones(1, 2)):sum():backward()
print(net.a.weight.grad:equal(net.b.weight.grad))
torch.no_grad(function() net.a.weight:fill_(1) end)
print(net.b.weight)
