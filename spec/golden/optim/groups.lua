-- Several groups with options of their own.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local a, b, c = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(1))
local optimizer = optim.SGD({{params = {a}, lr = 0.5}, {params = {b}, momentum = 0.9}}, {lr = 0.1})
print(#optimizer.param_groups)
for _, group in ipairs(optimizer.param_groups) do print(group.lr, group.momentum, group.weight_decay, #group.params) end
optimizer:add_param_group{params = {c}, lr = 0.01}
print(#optimizer.param_groups, optimizer.param_groups[3].lr)
for _ = 1, 2 do
  optimizer:zero_grad()
  ;((a ^ 2):sum() + (b ^ 2):sum() + (c ^ 2):sum()):backward()
  optimizer:step()
  print(a.data, b.data, c.data)
end
for _, group in ipairs(optimizer.param_groups) do group.lr = group.lr / 10 end
optimizer:zero_grad()
;((a ^ 2):sum() + (b ^ 2):sum() + (c ^ 2):sum()):backward()
optimizer:step()
print(a.data, b.data, c.data)
print(optimizer.param_groups[1].lr, optimizer.param_groups[1].params[1])
