-- What load_state_dict of optimizers says of what is no state of theirs.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local function mistake(f)
  local _, problem = pcall(f)
  print((tostring(problem):match "[^\n]*"))
end
local model = nn.Linear(2, 2)
local optimizers = {optim.SGD(model:parameters(), {lr = 0.1}), optim.Muon(nn.Linear(2, 2, {bias = false}):parameters())}
for _, o in ipairs(optimizers) do
  mistake(function() o:load_state_dict(model:state_dict()) end)
  mistake(function() o:load_state_dict "model.pt" end)
end
