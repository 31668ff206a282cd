-- AdamW and its options.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
for _, options in ipairs{{}, {lr = 0.1}, {lr = 0.1, weight_decay = 0.5}, {lr = 0.1, weight_decay = 0}, {lr = 0.1, betas = {0.5, 0.9}, eps = 1e-3},
                         {lr = 0.1, amsgrad = true}, {lr = 0.1, maximize = true}} do
  local w = nn.Parameter(torch.tensor{1.0, -2.0, 3.0})
  local optimizer = optim.AdamW({w}, options)
  for _ = 1, 5 do
    optimizer:zero_grad()
    ;(w ^ 2 * torch.tensor{1.0, 0.5, 0.25}):sum():backward()
    optimizer:step()
    print(w.data)
  end
end
