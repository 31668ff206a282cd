-- Parameters that do not require gradients stay as they are.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
torch.manual_seed(6)
local net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
net[0]:requires_grad_(false)
local before = net[0].weight:clone()
local optimizer = optim.AdamW(net:parameters(), {lr = 0.1})
for _ = 1, 3 do
  optimizer:zero_grad()
  net(torch.ones(1, 2)):sum():backward()
  optimizer:step()
end
print(torch.equal(before, net[0].weight), net[0].weight.grad)
print(net[1].bias)
