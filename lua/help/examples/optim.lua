-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.optim.ASGD
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.ASGD({w}, {lr = 0.1})
> (w * w):sum():backward()
> optimizer:step()
> w.data
tensor([0.8000, 0.8000])

?torch.optim.Adadelta
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.Adadelta({w}, {lr = 1.})
> (w * w):sum():backward()
> optimizer:step()
> w.data
tensor([0.9968, 0.9968])

?torch.optim.Adagrad
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.Adagrad({w}, {lr = 0.1})
> (w * w):sum():backward()
> optimizer:step()
> w.data
tensor([0.9000, 0.9000])

?torch.optim.Adamax
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.Adamax({w}, {lr = 0.1})
> (w * w):sum():backward()
> optimizer:step()
> w.data
tensor([0.9000, 0.9000])

?torch.optim.NAdam
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.NAdam({w}, {lr = 0.1})
> (w * w):sum():backward()
> optimizer:step()
> w.data
tensor([0.8944, 0.8944])

?torch.optim.RAdam
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.RAdam({w}, {lr = 0.1})
> (w * w):sum():backward()
> optimizer:step()
> w.data
tensor([0.8000, 0.8000])

?torch.optim.Rprop
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.Rprop({w}, {lr = 0.1})
> (w * w):sum():backward()
> optimizer:step()
> w.data
tensor([0.9000, 0.9000])

?torch.optim.RMSprop
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.RMSprop({w}, {lr = 0.01, momentum = 0.9})
> (w * w):sum():backward()
> optimizer:step()
> w.data
tensor([0.9000, 0.9000])

?torch.optim.Adafactor
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.Adafactor({w})
> (w * w):sum():backward()
> optimizer:step()
> w.data
tensor([0.9900, 0.9900])

?torch.optim.Adam
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.Adam({w}, {lr = 0.1})
> (w * w):sum():backward()
> optimizer:step()
> w.data
tensor([0.9000, 0.9000])

?torch.optim.AdamW
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.AdamW({w}, {lr = 0.1, weight_decay = 0.5})
> (w * w):sum():backward()
> optimizer:step()
> w.data
tensor([0.8500, 0.8500])

?torch.optim.LBFGS
> w = torch.tensor({3., -2.}, {requires_grad = true})
> optimizer = torch.optim.LBFGS({w})
> closure = function() optimizer:zero_grad(); local loss = (w - 1):square():sum(); loss:backward(); return loss end
> optimizer:step(closure):item()
13.0
> w.data
tensor([1.0000, 1.0000])

?torch.optim.Muon
> w = torch.eye(2, {requires_grad = true})
> optimizer = torch.optim.Muon({w}, {lr = 0.1})
> (w * w):sum():backward()
> optimizer:step()
> w.shape
torch.Size([2, 2])

?torch.optim.SGD
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.SGD({w}, {lr = 0.1, momentum = 0.9})
> (w * w):sum():backward()
> optimizer:step()
> w.data
tensor([0.8000, 0.8000])

?torch.optim.SparseAdam
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.SparseAdam({w}, {lr = 0.1})
> optimizer.param_groups[1].lr
0.1

?torch.optim.Optimizer torch.optim.Optimizer.extend torch.optim.Optimizer.isinstance
> Plain = torch.optim.Optimizer:extend "Plain"
> function Plain:step()
>> for _, group in ipairs(self.param_groups) do
>> torch.no_grad(function() for _, p in ipairs(group.params) do p:sub_(p.grad * group.lr) end end)
>> end
>> end
> w = torch.ones(2, {requires_grad = true})
> optimizer = Plain({w}, {lr = 0.1})
> (w * w):sum():backward()
> optimizer:step()
> w.data, optimizer:isinstance(torch.optim.Optimizer)
tensor([0.8000, 0.8000])	true

?torch.optim.Optimizer.add_param_group
> a, b = torch.ones(2, {requires_grad = true}), torch.ones(3, {requires_grad = true})
> optimizer = torch.optim.SGD({a}, {lr = 0.1})
> optimizer:add_param_group{params = {b}, lr = 0.01}
> #optimizer.param_groups, optimizer.param_groups[2].lr
2	0.01

?torch.optim.Optimizer.load_state_dict torch.optim.Optimizer.state_dict
> w = torch.ones(2, {requires_grad = true})
> a, b = torch.optim.SGD({w}, {lr = 0.1}), torch.optim.SGD({w}, {lr = 0.5})
> b:load_state_dict(a:state_dict())
> b.param_groups[1].lr
0.1

?torch.optim.Optimizer.step torch.optim.Optimizer.zero_grad
> w = torch.ones(2, {requires_grad = true})
> optimizer = torch.optim.SGD({w}, {lr = 0.1})
> (w * w):sum():backward()
> optimizer:step()
> optimizer:zero_grad()
> w.data, w.grad
tensor([0.8000, 0.8000])	nil

?torch.optim.lr_scheduler torch.optim.lr_scheduler.StepLR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
1.0
1.0
0.1
0.1

?torch.optim.lr_scheduler.ChainedScheduler
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> schedulers = torch.optim.lr_scheduler
> scheduler = schedulers.ChainedScheduler{schedulers.ConstantLR(optimizer, {factor = 0.1, total_iters = 2}), schedulers.ExponentialLR(optimizer, 0.5)}
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
0.1
0.05
0.25
0.125

?torch.optim.lr_scheduler.ConstantLR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.ConstantLR(optimizer, {factor = 0.5, total_iters = 2})
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
0.5
0.5
1.0
1.0

?torch.optim.lr_scheduler.CosineAnnealingLR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, {T_max = 3})
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
1.0
0.75
0.25
0.0

?torch.optim.lr_scheduler.CosineAnnealingWarmRestarts
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, {T_0 = 2})
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
1.0
0.5
1.0
0.5

?torch.optim.lr_scheduler.CyclicLR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, {base_lr = 0.1, max_lr = 1., step_size_up = 2, cycle_momentum = false})
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
0.1
0.55
1.0
0.55

?torch.optim.lr_scheduler.ExponentialLR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, {gamma = 0.5})
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
1.0
0.5
0.25
0.125

?torch.optim.lr_scheduler.LambdaLR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, function(epoch) return 1 / (1 + epoch) end)
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
1.0
0.5
0.33333333333333
0.25

?torch.optim.lr_scheduler.LinearLR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, {start_factor = 0.25, total_iters = 3})
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
0.25
0.5
0.75
1.0

?torch.optim.lr_scheduler.MultiStepLR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, {milestones = {1, 3}})
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
1.0
0.1
0.1
0.01

?torch.optim.lr_scheduler.MultiplicativeLR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, function(epoch) return 0.5 end)
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
1.0
0.5
0.25
0.125

?torch.optim.lr_scheduler.OneCycleLR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, {max_lr = 1., total_steps = 5})
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
0.04
0.95048463201347
0.61126202193629
0.18825834605024

?torch.optim.lr_scheduler.PolynomialLR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.PolynomialLR(optimizer, {total_iters = 4})
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
1.0
0.75
0.5
0.25

?torch.optim.lr_scheduler.ReduceLROnPlateau
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, {patience = 1})
> for _, loss in ipairs{3., 2., 2., 2., 2.} do scheduler:step(loss); print(scheduler:get_last_lr()[1]) end
1.0
1.0
1.0
0.1
0.1

?torch.optim.lr_scheduler.SequentialLR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> schedulers = torch.optim.lr_scheduler
> scheduler = schedulers.SequentialLR(optimizer, {schedulers.ConstantLR(optimizer, {factor = 0.1, total_iters = 2}), schedulers.ExponentialLR(optimizer, 0.5)}, {milestones = {2}})
> for epoch = 1, 4 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
0.1
0.1
1.0
0.5

?torch.optim.lr_scheduler.LRScheduler
> Halve = torch.optim.lr_scheduler.LRScheduler:extend "Halve"
> function Halve:get_lr()
>> local rates = {}
>> for i, base in ipairs(self.base_lrs) do rates[i] = base / 2 ^ self.last_epoch end
>> return rates
>> end
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = Halve(optimizer)
> for epoch = 1, 3 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
1.0
0.5
0.25

?torch.optim.lr_scheduler.EPOCH_DEPRECATION_WARNING
> torch.optim.lr_scheduler.EPOCH_DEPRECATION_WARNING:sub(1, 30)
"The epoch parameter in `schedu"

?torch.optim.swa_utils torch.optim.swa_utils.AveragedModel
> net = torch.nn.Linear(1, 1, {bias = false})
> torch.nn.init.constant_(net.weight, 1)
Parameter containing:
tensor([[1.]], requires_grad=True)
> average = torch.optim.swa_utils.AveragedModel(net)
> average:update_parameters(net)
> torch.nn.init.constant_(net.weight, 3)
Parameter containing:
tensor([[3.]], requires_grad=True)
> average:update_parameters(net)
> average.module.weight:item()
2.0

?torch.optim.swa_utils.SWALR
> optimizer = torch.optim.SGD({torch.ones(1, {requires_grad = true})}, {lr = 1.})
> scheduler = torch.optim.swa_utils.SWALR(optimizer, {swa_lr = 0.1, anneal_epochs = 2, anneal_strategy = "linear"})
> for epoch = 1, 3 do print(scheduler:get_last_lr()[1]); optimizer:step(); scheduler:step() end
1.0
0.55
0.1

?torch.optim.swa_utils.get_ema_avg_fn
> average = torch.optim.swa_utils.get_ema_avg_fn(0.9)
> average(torch.tensor(1.), torch.tensor(2.), 1)
tensor(1.1000)

?torch.optim.swa_utils.get_swa_avg_fn
> average = torch.optim.swa_utils.get_swa_avg_fn()
> average(torch.tensor(1.), torch.tensor(2.), 1)
tensor(1.5000)

?torch.optim.swa_utils.get_ema_multi_avg_fn
> a = {torch.ones(2)}
> torch.optim.swa_utils.get_ema_multi_avg_fn(0.9)(a, {torch.zeros(2)}, 1)
> a[1]
tensor([0.9000, 0.9000])

?torch.optim.swa_utils.get_swa_multi_avg_fn
> a = {torch.ones(2)}
> torch.optim.swa_utils.get_swa_multi_avg_fn()(a, {torch.zeros(2)}, 1)
> a[1]
tensor([0.5000, 0.5000])

?torch.optim.swa_utils.update_bn
> net = torch.nn.BatchNorm1d(1)
> torch.optim.swa_utils.update_bn({torch.tensor{{1.}, {3.}}}, net)
> net.running_mean
tensor([2.])
]==]
