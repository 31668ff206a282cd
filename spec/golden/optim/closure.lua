-- step can be given a function.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local w = nn.Parameter(torch.tensor(3.0))
local optimizer = optim.SGD({w}, {lr = 0.1})
for _ = 1, 3 do
  local loss = optimizer:step(function()
    optimizer:zero_grad()
    local l = w ^ 2
    l:backward()
    return l
  end)
  print(loss, w)
end
