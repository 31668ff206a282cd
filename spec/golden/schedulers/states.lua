-- State dicts, going on, the closed forms of step(epoch), errors.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local s = optim.lr_scheduler
local function sgd(lr) return optim.SGD({nn.Parameter(torch.ones(1))}, {lr = lr or 0.1, momentum = 0.9}) end
local makers = {
  {"LambdaLR", function(o) return s.LambdaLR(o, function(e) return 0.9 ^ e end) end},
  {"StepLR", function(o) return s.StepLR(o, 3) end},
  {"MultiStepLR", function(o) return s.MultiStepLR(o, {2, 5}) end},
  {"LinearLR", function(o) return s.LinearLR(o) end},
  {"ConstantLR", function(o) return s.ConstantLR(o) end},
  {"ExponentialLR", function(o) return s.ExponentialLR(o, 0.9) end},
  {"PolynomialLR", function(o) return s.PolynomialLR(o, 6) end},
  {"CosineAnnealingLR", function(o) return s.CosineAnnealingLR(o, 4) end},
  {"CosineAnnealingWarmRestarts", function(o) return s.CosineAnnealingWarmRestarts(o, 2, 2) end},
  {"OneCycleLR", function(o) return s.OneCycleLR(o, 0.3, 20) end},
  {"SequentialLR", function(o) return s.SequentialLR(o, {s.ConstantLR(o), s.ExponentialLR(o, 0.5)}, {3}) end},
  {"ChainedScheduler", function(o) return s.ChainedScheduler{s.ConstantLR(o), s.ExponentialLR(o, 0.5)} end},
}
for _, maker in ipairs(makers) do
  local name, make = maker[1], maker[2]
  local first = sgd()
  local scheduler = make(first)
  first:step()
  for _ = 1, 4 do scheduler:step() end
  local state = scheduler:state_dict()
  local second = sgd()
  local other = make(second)
  other:load_state_dict(state)
  second:load_state_dict(first:state_dict())
  second:step()
  for _ = 1, 3 do
    scheduler:step()
    other:step()
    print(name, torch.format("%.17g %.17g", first.param_groups[1].lr, second.param_groups[1].lr), name ~= "ChainedScheduler" and other.last_epoch)
  end
end
for _, maker in ipairs(makers) do
  if maker[1] ~= "SequentialLR" and maker[1] ~= "ChainedScheduler" and maker[1] ~= "LambdaLR" then
    local o = sgd()
    local scheduler = maker[2](o)
    o:step()
    for _, epoch in ipairs{1, 5, 2, 9} do
      scheduler:step(epoch)
      print(maker[1], epoch, torch.format("%.17g", o.param_groups[1].lr), scheduler.last_epoch)
    end
  end
end
local o = sgd()
local scheduler = s.CosineAnnealingWarmRestarts(o, 3, 2)
for _, epoch in ipairs{0.5, 2.25, 3.5, 9.75, 20.5} do
  scheduler:step(epoch)
  print(torch.format("%.17g", o.param_groups[1].lr), scheduler.last_epoch)
end
for _, last in ipairs{3, 7} do
  local resumed = sgd()
  resumed.param_groups[1].initial_lr = 0.5
  local again = s.CosineAnnealingLR(resumed, {T_max = 10, last_epoch = last})
  resumed:step()
  again:step()
  print(torch.format("%.17g", resumed.param_groups[1].lr), again.last_epoch)
end
local function fails(f)
  local ok, problem = pcall(f)
  print(ok, (tostring(problem):match "^[^\n]*"))
end
fails(function() s.StepLR(1, 2) end)
fails(function() s.StepLR(sgd()) end)
fails(function() s.StepLR(sgd(), {step_size = 3, last_epoch = 2}) end)
fails(function() s.LambdaLR(sgd(), {function() return 1 end, function() return 1 end}) end)
fails(function() s.ConstantLR(sgd(), {factor = 2.0}) end)
fails(function() s.LinearLR(sgd(), {start_factor = 0.0}) end)
fails(function() s.LinearLR(sgd(), {end_factor = 1.5}) end)
fails(function() s.OneCycleLR(sgd(), 0.1) end)
fails(function() s.OneCycleLR(sgd(), {max_lr = 0.1, total_steps = 0}) end)
fails(function() s.OneCycleLR(sgd(), {max_lr = 0.1, total_steps = 10, pct_start = 1.5}) end)
fails(function() s.OneCycleLR(sgd(), {max_lr = 0.1, total_steps = 10, anneal_strategy = "other"}) end)
fails(function() s.OneCycleLR(optim.Adagrad({nn.Parameter(torch.ones(1))}), {max_lr = 0.1, total_steps = 10}) end)
fails(function() s.OneCycleLR(sgd(), {max_lr = {0.1, 0.2}, total_steps = 10}) end)
fails(function() s.CyclicLR(sgd(), {base_lr = 0.1, max_lr = 0.2, mode = "other"}) end)
fails(function() s.ReduceLROnPlateau(sgd(), {factor = 1.5}) end)
fails(function() s.ReduceLROnPlateau(sgd(), {mode = "other"}) end)
fails(function() s.ReduceLROnPlateau(sgd(), {threshold_mode = "other"}) end)
fails(function() s.ReduceLROnPlateau(sgd(), {min_lr = {1, 2}}) end)
fails(function() s.CosineAnnealingWarmRestarts(sgd(), 0) end)
fails(function() s.CosineAnnealingWarmRestarts(sgd(), {T_0 = 1, T_mult = 0}) end)
fails(function() s.SequentialLR(sgd(), {}, {}) end)
fails(function()
  local p = sgd()
  s.SequentialLR(p, {s.ConstantLR(p), s.ConstantLR(p)}, {1, 2})
end)
fails(function() s.ChainedScheduler{} end)
local once = sgd()
local short = s.OneCycleLR(once, 0.1, 2)
once:step()
fails(function() for _ = 1, 5 do short:step() end end)
