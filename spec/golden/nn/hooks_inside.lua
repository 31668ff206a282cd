-- Hooks of modules that stand inside of others.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(0)
local inner = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
local net = nn.Sequential(inner, nn.Linear(3, 1))
local x = torch.ones(1, 2)
local handles = {}
for i, m in ipairs{inner, inner[0], inner[1], net[1]} do
  handles[#handles + 1] = m:register_forward_pre_hook(function(_, inputs) print("before", i, inputs[1].shape) end)
  handles[#handles + 1] = m:register_forward_hook(function(_, _, output) print("after", i, output.shape) end)
end
print(net(x).shape)
for _, h in ipairs(handles) do h:remove() end
print(net(x).shape)
print(net)
