-- Every scheduler is an LRScheduler; the rates that they start with.
local torch = require "torch"
local lr = torch.optim.lr_scheduler
for _, make in ipairs{
  function(o) return lr.StepLR(o, {step_size = 2}) end, function(o) return lr.ExponentialLR(o, {gamma = 0.5}) end,
  function(o) return lr.CosineAnnealingLR(o, {T_max = 4}) end, function(o) return lr.CyclicLR(o, {base_lr = 0.25, max_lr = 1.0}) end,
  function(o) return lr.OneCycleLR(o, {max_lr = 1.0, total_steps = 4}) end, function(o) return lr.ReduceLROnPlateau(o) end} do
  local optimizer = torch.optim.SGD({torch.nn.Parameter(torch.ones(1))}, {lr = 0.5})
  local scheduler = make(optimizer)
  print(scheduler:isinstance(lr.LRScheduler), optimizer.param_groups[1].lr, scheduler:get_last_lr()[1])
end
