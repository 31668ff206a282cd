-- Fifty epochs of every scheduler, two groups, to the last bit.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local s = optim.lr_scheduler
local function run(name, make, with_adam, metric)
  local groups = {{params = {nn.Parameter(torch.ones(1))}}, {params = {nn.Parameter(torch.ones(1))}, lr = 0.5}}
  local optimizer = with_adam and optim.Adam(groups, {lr = 0.1}) or optim.SGD(groups, {lr = 0.1, momentum = 0.9})
  local scheduler = make(optimizer)
  for epoch = 0, 49 do
    local first, second = optimizer.param_groups[1], optimizer.param_groups[2]
    local momentum = with_adam and first.betas[1] or first.momentum
    print(torch.format("%s %d %.17g %.17g %.17g", name, epoch, first.lr, second.lr, momentum))
    optimizer:step()
    if metric then scheduler:step(metric(epoch)) else scheduler:step() end
  end
  local last = scheduler:get_last_lr()
  print(#last, torch.format("%.17g %.17g", last[1], last[2]), name ~= "ChainedScheduler" and scheduler.last_epoch)
end
run("LambdaLR", function(o) return s.LambdaLR(o, function(epoch) return 0.95 ^ epoch end) end)
run("LambdaLR list", function(o) return s.LambdaLR(o, {function(e) return 1 / (e + 1) end, function(e) return 0.9 ^ e end}) end)
run("MultiplicativeLR", function(o) return s.MultiplicativeLR(o, function() return 0.95 end) end)
run("StepLR", function(o) return s.StepLR(o, {step_size = 7, gamma = 0.3}) end)
run("MultiStepLR", function(o) return s.MultiStepLR(o, {5, 20, 20, 33}, 0.2) end)
run("ConstantLR", function(o) return s.ConstantLR(o) end)
run("ConstantLR 2", function(o) return s.ConstantLR(o, {factor = 0.7, total_iters = 20}) end)
run("LinearLR", function(o) return s.LinearLR(o) end)
run("LinearLR 2", function(o) return s.LinearLR(o, {start_factor = 0.9, end_factor = 0.1, total_iters = 30}) end)
run("ExponentialLR", function(o) return s.ExponentialLR(o, 0.93) end)
run("PolynomialLR", function(o) return s.PolynomialLR(o, {total_iters = 40, power = 1.7}) end)
run("CosineAnnealingLR", function(o) return s.CosineAnnealingLR(o, 13, 0.01) end)
run("CosineAnnealingLR 2", function(o) return s.CosineAnnealingLR(o, {T_max = 50}) end)
run("CosineAnnealingWarmRestarts", function(o) return s.CosineAnnealingWarmRestarts(o, 5, 2, 0.001) end)
run("CosineAnnealingWarmRestarts 2", function(o) return s.CosineAnnealingWarmRestarts(o, 7) end)
run("CyclicLR", function(o) return s.CyclicLR(o, 0.01, 0.3, 5, 9) end)
run("CyclicLR 2", function(o) return s.CyclicLR(o, {base_lr = 0.01, max_lr = {0.3, 0.4}, step_size_up = 6, mode = "triangular2"}) end, true)
run("CyclicLR 3", function(o) return s.CyclicLR(o, {base_lr = 0.01, max_lr = 0.3, step_size_up = 6, mode = "exp_range", gamma = 0.97, cycle_momentum = false}) end)
run("CyclicLR 4", function(o)
  return s.CyclicLR(o, {base_lr = 0.01, max_lr = 0.3, step_size_up = 6, scale_fn = function(x) return 1 / x end, scale_mode = "cycle"})
end)
run("OneCycleLR", function(o) return s.OneCycleLR(o, 0.4, 60) end)
run("OneCycleLR 2", function(o) return s.OneCycleLR(o, {max_lr = {0.4, 0.2}, epochs = 10, steps_per_epoch = 5, anneal_strategy = "linear"}) end, true)
run("OneCycleLR 3", function(o)
  return s.OneCycleLR(o, {max_lr = 0.4, total_steps = 50, three_phase = true, pct_start = 0.4, div_factor = 10.0, final_div_factor = 100.0})
end)
run("ChainedScheduler", function(o) return s.ChainedScheduler{s.ConstantLR(o, {factor = 0.1, total_iters = 10}), s.ExponentialLR(o, 0.9)} end)
run("SequentialLR", function(o)
  return s.SequentialLR(o, {s.ConstantLR(o, {factor = 0.1, total_iters = 10}), s.ExponentialLR(o, 0.9), s.CosineAnnealingLR(o, 10)}, {10, 30})
end)
local function bumpy(epoch) return epoch < 12 and 1 / (epoch + 1) or 0.08 + 0.01 * (epoch % 3) end
run("ReduceLROnPlateau", function(o) return s.ReduceLROnPlateau(o, {patience = 3, factor = 0.5}) end, false, bumpy)
run("ReduceLROnPlateau 2", function(o)
  return s.ReduceLROnPlateau(o, {mode = "max", patience = 2, threshold = 0.01, threshold_mode = "abs", cooldown = 4, min_lr = {0.01, 0.2}})
end, false, bumpy)
