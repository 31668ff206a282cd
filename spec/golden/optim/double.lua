-- Optimizers in float64.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
for _, name in ipairs{"SGD", "Adam", "AdamW"} do
  local w = nn.Parameter(torch.tensor({1.0, -2.0}, {dtype = torch.float64}))
  local optimizer = optim[name]({w}, {lr = 0.1})
  for _ = 1, 10 do
    optimizer:zero_grad()
    ;(w ^ 4):sum():backward()
    optimizer:step()
  end
  print(name, w)
  print(torch.format("%.12f %.12f", w[0], w[1]))
end
