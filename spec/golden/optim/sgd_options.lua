-- Momentum, dampening, Nesterov, weight decay, maximize.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
for _, options in ipairs{{lr = 0.1, momentum = 0.9}, {lr = 0.1, momentum = 0.9, dampening = 0.5}, {lr = 0.1, momentum = 0.9, nesterov = true},
                         {lr = 0.1, weight_decay = 0.5}, {lr = 0.1, maximize = true}, {lr = 0.05, momentum = 0.5, weight_decay = 0.1, nesterov = true},
                         {lr = 0.05, momentum = 0.5, weight_decay = 0.1, maximize = true}} do
  local w = nn.Parameter(torch.tensor{1.0, -2.0, 3.0})
  local optimizer = optim.SGD({w}, options)
  for _ = 1, 5 do
    optimizer:zero_grad()
    ;(w * w * torch.tensor{1.0, 0.5, 0.25}):sum():backward()
    optimizer:step()
    print(w.data)
  end
end
