-- torch.optim.swa_utils: averages of weights, SWALR, errors.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local swa = optim.swa_utils
local function train(make)
  torch.manual_seed(0)
  local net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
  local averaged = make(net)
  local optimizer = optim.SGD(net:parameters(), {lr = 0.1})
  local x = torch.randn(6, 2)
  for step = 1, 6 do
    optimizer:zero_grad()
    ;(net(x) ^ 2 + net(x)):sum():backward()
    optimizer:step()
    if step % 2 == 0 then averaged:update_parameters(net) end
  end
  print(averaged.n_averaged, averaged.module[0].weight, averaged.module[2].bias)
  print(averaged(x):reshape(-1))
  print(net[0].weight)
  return averaged
end
local a = train(function(net) return swa.AveragedModel(net) end)
print(a)
for name, t in pairs(a:state_dict()) do print(name, t.shape, t.dtype) end
train(function(net) return swa.AveragedModel(net, {avg_fn = swa.get_ema_avg_fn(0.9)}) end)
train(function(net) return swa.AveragedModel(net, {multi_avg_fn = swa.get_ema_multi_avg_fn(0.9)}) end)
train(function(net) return swa.AveragedModel(net, {multi_avg_fn = swa.get_swa_multi_avg_fn(), use_buffers = true}) end)
train(function(net) return swa.AveragedModel(net, {avg_fn = function(old, new, n) return (old * n + new) / (n + 1) end}) end)
for _, options in ipairs{{swa_lr = 0.05}, {swa_lr = 0.3, anneal_epochs = 4, anneal_strategy = "linear"}, {swa_lr = {0.2, 0.01}, anneal_epochs = 0}} do
  local optimizer = optim.SGD({{params = {nn.Parameter(torch.ones(1))}}, {params = {nn.Parameter(torch.ones(1))}, lr = 0.5}}, {lr = 0.1})
  local scheduler = swa.SWALR(optimizer, options)
  for epoch = 0, 14 do
    print(epoch, torch.format("%.17g %.17g", optimizer.param_groups[1].lr, optimizer.param_groups[2].lr))
    optimizer:step()
    scheduler:step()
  end
  local last = scheduler:get_last_lr()
  print(#last, torch.format("%.17g", last[1]))
end
local optimizer = optim.SGD({nn.Parameter(torch.ones(1))}, {lr = 0.1})
local exponential = optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
for _ = 1, 5 do
  optimizer:step()
  exponential:step()
end
local scheduler = swa.SWALR(optimizer, {swa_lr = 0.5, anneal_epochs = 3})
for _ = 1, 5 do
  print(torch.format("%.17g", optimizer.param_groups[1].lr))
  optimizer:step()
  scheduler:step()
end
local function fails(f)
  local ok, problem = pcall(f)
  print(ok, (tostring(problem):match "^[^\n]*"))
end
fails(function() swa.get_ema_avg_fn(1.5) end)
fails(function() swa.get_ema_multi_avg_fn(-0.5) end)
fails(function() swa.AveragedModel(nn.Linear(1, 1), {avg_fn = swa.get_swa_avg_fn(), multi_avg_fn = swa.get_swa_multi_avg_fn()}) end)
fails(function() swa.SWALR(optimizer, {swa_lr = {1, 2}}) end)
fails(function() swa.SWALR(optimizer, {swa_lr = 0.1, anneal_strategy = "other"}) end)
fails(function() swa.SWALR(optimizer, {swa_lr = 0.1, anneal_epochs = -1}) end)
