-- Hooks that remove and register hooks: the pass that is under way has those that were there at its beginning.
local torch = require "torch"
local nn = torch.nn
local x = torch.ones(1, 2, {requires_grad = true})
for _, register in ipairs {"register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook"} do
  print(register)
  local net = nn.Linear(2, 2)
  local second
  net[register](net, function()
    print "a"
    second:remove()
  end)
  second = net[register](net, function()
    print "b"
    net[register](net, function() print "new" end)
  end)
  for _ = 1, 2 do
    net(x):sum():backward()
    print "--"
  end
end
local net = nn.Linear(2, 2)
local handle = net:register_full_backward_hook(function() print "removed too late" end)
local y = net(x):sum()
handle:remove()
handle:remove()
y:backward()
net(x):sum():backward()
