-- Changing the learning rate on the way.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local w = nn.Parameter(torch.tensor(1.0))
local optimizer = optim.SGD({w}, {lr = 1})
for step = 1, 4 do
  optimizer:zero_grad()
  ;(w * 2):backward()
  optimizer:step()
  print(step, w, optimizer.param_groups[1].lr)
  optimizer.param_groups[1].lr = optimizer.param_groups[1].lr * 0.5
end
