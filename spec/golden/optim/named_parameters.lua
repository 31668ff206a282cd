-- Parameters with names: groups keep them, print them, save them; groups with and without names do not mix.
local torch = require "torch"
local nn = torch.nn
local function refused(f) return (tostring(select(2, pcall(f))):match "^[^\n]*") end
local function net() return nn.ModuleDict{{"first", nn.Linear(2, 2, {bias = false})}, {"second", nn.Linear(2, 2, {bias = false})}} end
for _, name in ipairs{"SGD", "Muon"} do
  local optimizer = torch.optim[name](net():named_parameters(), {lr = 0.5})
  print(optimizer)
  print(optimizer.param_groups[1].param_names[1], optimizer.param_groups[1].param_names[2])
  optimizer:add_param_group{params = nn.Linear(2, 1, {bias = false}):named_parameters(), lr = 0.25}
  print(optimizer.param_groups[2].param_names[1], optimizer.param_groups[2].lr)
  print(refused(function() optimizer:add_param_group{params = net():parameters()} end))
  local plain = torch.optim[name](net():parameters(), {lr = 0.5})
  print(refused(function() plain:add_param_group{params = net():named_parameters()} end))
  optimizer:load_state_dict(optimizer:state_dict())
  print(optimizer.param_groups[2].param_names[1])
end

local w = nn.Parameter(torch.ones(2))
local v = w * 2
print(refused(function() torch.optim.SGD({v}, {lr = 0.5}) end))
v:retain_grad()
print(#torch.optim.SGD({v}, {lr = 0.5}).param_groups)
print(#torch.optim.SGD({w * 3}, {lr = 0.5, differentiable = true}).param_groups)
