-- Plain SGD.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local w = nn.Parameter(torch.tensor{1.0, -2.0})
local optimizer = optim.SGD({w}, {lr = 0.1})
for step = 1, 4 do
  optimizer:zero_grad()
  local loss = (w ^ 2):sum()
  loss:backward()
  optimizer:step()
  print(step, loss, w)
end
print(optimizer)
