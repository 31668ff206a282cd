-- Hooks of steps and state dicts; groups with fields of their own in the printed form.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
for _, name in ipairs{"SGD", "Adafactor"} do
  local w = nn.Parameter(torch.ones(2))
  local optimizer = optim[name]({w}, {lr = 0.5})
  local pre = optimizer:register_step_pre_hook(function() print("pre", w.data) end)
  local post = optimizer:register_step_post_hook(function() print("post", w.data) end)
  local function step()
    optimizer:zero_grad()
    w:sum():backward()
    optimizer:step()
  end
  step()
  pre:remove()
  step()
  post:remove()
  step()
  optimizer:register_state_dict_pre_hook(function() print "state_dict_pre" end)
  optimizer:register_state_dict_post_hook(function(_, state) print("state_dict_post", #state.param_groups) end)
  optimizer:register_load_state_dict_pre_hook(function(_, state) print("load_pre", #state.param_groups) end)
  optimizer:register_load_state_dict_post_hook(function() print "load_post" end)
  optimizer:load_state_dict(optimizer:state_dict())
  optimizer.param_groups[1].initial_lr = 0.1
  optimizer.param_groups[1].max_lr = 1e-9
  optimizer:add_param_group{params = {nn.Parameter(torch.ones(1))}, lr = 0.25}
  print(optimizer)
end
