-- Adamax: its options, text, state, checks.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
for _, options in ipairs{{}, {lr = 0.1}, {lr = 0.1, betas = {0.5, 0.9}}, {lr = 0.1, eps = 0.1}, {lr = 0.1, weight_decay = 0.5},
                         {lr = 0.1, maximize = true}, {lr = 0.05, betas = {0.3, 0.5}, weight_decay = 0.01, maximize = true}} do
  local w = nn.Parameter(torch.tensor{1.0, -2.0, 3.0})
  local optimizer = optim.Adamax({w}, options)
  for _ = 1, 5 do
    optimizer:zero_grad()
    ;(w ^ 2 * torch.tensor{1.0, 0.5, 0.25}):sum():backward()
    optimizer:step()
    print(w.data)
  end
end

local w = nn.Parameter(torch.tensor({1.0, -2.0}, {dtype = torch.float64}))
local optimizer = optim.Adamax({w})
print(optimizer)
for _ = 1, 2 do
  optimizer:zero_grad()
  ;(w ^ 3):sum():backward()
  optimizer:step()
end
local state = optimizer:state_dict().state[0]
print(w, state.step, state.exp_avg, state.exp_inf)
local other = optim.Adamax({w}, {lr = 0.5})
other:load_state_dict(optimizer:state_dict())
other:step()
print(w, other.param_groups[1].lr, other:state_dict().state[0].step)

local function mistake(options)
  local ok, err = pcall(optim.Adamax, {w}, options)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
mistake{lr = -1}
mistake{eps = -0.5}
mistake{betas = {1.0, 0.9}}
mistake{betas = {0.9, -0.1}}
mistake{weight_decay = -1}
mistake{lr = -1, eps = -1}
