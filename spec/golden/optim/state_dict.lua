-- The state of an optimizer can be saved and loaded.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local function run(optimizer, w, steps)
  for _ = 1, steps do
    optimizer:zero_grad()
    local loss = (w ^ 2):sum()
    loss:backward()
    optimizer:step()
  end
end
for _, name in ipairs{"SGD", "Adam", "AdamW"} do
  local options = name == "SGD" and {lr = 0.1, momentum = 0.9} or {lr = 0.1}
  local straight = nn.Parameter(torch.tensor{1.0, -2.0})
  run(optim[name]({straight}, options), straight, 6)
  local w = nn.Parameter(torch.tensor{1.0, -2.0})
  local first = optim[name]({w}, options)
  run(first, w, 3)
  local v = nn.Parameter(w:detach():clone())
  local second = optim[name]({v}, {lr = 0.5})
  print(name, second.param_groups[1].lr)
  second:load_state_dict(first:state_dict())
  print(name, second.param_groups[1].lr, second.param_groups[1].momentum)
  run(second, v, 3)
  print(straight.data, v.data, torch.equal(straight, v))
end
