-- apply visits the children first.
local torch = require "torch"
local nn = torch.nn
local net = nn.Sequential(nn.Linear(1, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 1)))
net:apply(function(m)
  if m:isinstance(nn.Linear) then
    nn.init.constant_(m.weight, 0.5)
    nn.init.zeros_(m.bias)
    print(m)
  elseif m:isinstance(nn.Sequential) then
    print("Sequential", #m)
  end
end)
print(net(torch.ones(1, 1)))
for name, p in net:named_parameters() do print(name, p) end
