-- What a module of a class with an underscore in its name is called once its weight is computed.
local torch = require "torch"
local nn = torch.nn
local Net = nn.Module:extend "My_Net"
function Net:init()
  self.weight = nn.Parameter(torch.ones(3, 2))
end
function Net:forward(x) return x:matmul(self.weight:t()) end
local function mistake(f, ...)
  local _, err = pcall(f, ...)
  print((tostring(err):match "[^\n]*"))
end
local net = Net()
nn.utils.weight_norm(net)
print(net)
net = Net()
nn.utils.parametrizations.weight_norm(net)
print(net)
nn.utils.parametrize.remove_parametrizations(net, "weight")
print(net)
net = Net()
nn.utils.prune.l1_unstructured(net, "weight", 0.5)
print(net)
mistake(nn.utils.prune.l1_unstructured, net, "bias", 0.5)
