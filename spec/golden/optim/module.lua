-- An optimizer takes the iterator of a module's parameters.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
torch.manual_seed(5)
local net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
local optimizer = optim.SGD{params = net:parameters(), lr = 0.1, momentum = 0.9}
print(#optimizer.param_groups[1].params)
local x, y = torch.ones(4, 2), torch.zeros(4, 1)
for _ = 1, 3 do
  optimizer:zero_grad()
  local loss = ((net(x) - y) ^ 2):mean()
  loss:backward()
  optimizer:step()
  print(loss)
end
for name, p in net:named_parameters() do print(name, p) end
