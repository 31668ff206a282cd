-- Examples of names, in the form that lua/help/example.lua describes. Backend "fake" makes this process one rank of a world that is not
-- there; what it receives is its own.
return [==[
?torch.nn.parallel.DistributedDataParallel
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> ddp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
> ddp(torch.ones(4, 2)):sum():backward()
> ddp.module.weight.grad
tensor([[4., 4.]])
> ddp:no_sync(function() ddp(torch.ones(4, 2)):sum():backward() end)
> ddp.module.weight.grad
tensor([[8., 8.]])
> torch.distributed.destroy_process_group()

?torch.distributed.optim torch.distributed.optim.ZeroRedundancyOptimizer
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> w = torch.nn.Parameter(torch.ones(2))
> optimizer = torch.distributed.optim.ZeroRedundancyOptimizer({w}, {optimizer_class = torch.optim.SGD, lr = 0.5})
> w:sum():backward()
> optimizer:step()
> w.data
tensor([0.5000, 0.5000])
> torch.distributed.destroy_process_group()

?torch.utils.data.distributed torch.utils.data.DistributedSampler
> dataset = torch.utils.data.TensorDataset(torch.arange(7))
> sampler = torch.utils.data.DistributedSampler(dataset, {num_replicas = 2, rank = 1, shuffle = false})
> torch.utils.data.distributed.DistributedSampler == torch.utils.data.DistributedSampler
true
> for i in sampler:iter() do print(i) end
1
3
5
0

?torch.distributed.algorithms torch.distributed.algorithms.join torch.distributed.algorithms.join.Join torch.distributed.algorithms.join.Joinable torch.distributed.algorithms.join.JoinHook
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> ddp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
> torch.distributed.algorithms.join.Join({ddp}, function() ddp(torch.ones(4, 2)):sum():backward() end)
> ddp.module.weight.grad
tensor([[4., 4.]])
> torch.distributed.algorithms.join.Joinable:extend "Mine", torch.distributed.algorithms.join.JoinHook:extend "MyHook"
<class '__main__.Mine'>	<class '__main__.MyHook'>
> torch.distributed.destroy_process_group()

?torch.distributed.algorithms.ddp_comm_hooks torch.distributed.algorithms.ddp_comm_hooks.default_hooks torch.distributed.algorithms.ddp_comm_hooks.default_hooks.allreduce_hook torch.distributed.algorithms.ddp_comm_hooks.default_hooks.bf16_compress_hook torch.distributed.algorithms.ddp_comm_hooks.default_hooks.fp16_compress_hook
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> hooks = torch.distributed.algorithms.ddp_comm_hooks.default_hooks
> ddp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
> ddp:register_comm_hook(nil, hooks.bf16_compress_hook)   -- or hooks.fp16_compress_hook, hooks.allreduce_hook
> ddp(torch.ones(4, 2)):sum():backward()
> ddp.module.weight.grad
tensor([[4., 4.]])
> torch.distributed.destroy_process_group()

?torch.distributed.algorithms.ddp_comm_hooks.default_hooks.bf16_compress_wrapper torch.distributed.algorithms.ddp_comm_hooks.default_hooks.fp16_compress_wrapper
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> hooks = torch.distributed.algorithms.ddp_comm_hooks.default_hooks
> ddp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
> ddp:register_comm_hook(nil, hooks.fp16_compress_wrapper(hooks.bf16_compress_wrapper(hooks.allreduce_hook)))
> ddp(torch.ones(4, 2)):sum():backward()
> ddp.module.weight.grad
tensor([[4., 4.]])
> torch.distributed.destroy_process_group()

?torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.PowerSGDState torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.powerSGD_hook
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> hooks = torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook
> ddp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
> state = hooks.PowerSGDState(nil, {start_powerSGD_iter = 10})
> ddp:register_comm_hook(state, hooks.powerSGD_hook)
> ddp(torch.ones(4, 2)):sum():backward()
> state.iter
1
> torch.distributed.destroy_process_group()

?torch.distributed.algorithms.ddp_comm_hooks.DDPCommHookType torch.distributed.algorithms.ddp_comm_hooks.register_ddp_comm_hook torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks.noop_hook
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> ddp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
> hooks = torch.distributed.algorithms.ddp_comm_hooks
> hooks.register_ddp_comm_hook(hooks.DDPCommHookType.NOOP, ddp)   -- or ddp:register_comm_hook(nil, hooks.debugging_hooks.noop_hook)
> ddp(torch.ones(4, 2)):sum():backward()
> ddp.module.weight.grad
tensor([[4., 4.]])
> torch.distributed.destroy_process_group()

?torch.distributed.algorithms.ddp_comm_hooks.quantization_hooks torch.distributed.algorithms.ddp_comm_hooks.quantization_hooks.quantization_pertensor_hook torch.distributed.algorithms.ddp_comm_hooks.quantization_hooks.quantization_perchannel_hook
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> ddp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
> hooks = torch.distributed.algorithms.ddp_comm_hooks.quantization_hooks
> ddp:register_comm_hook(nil, hooks.quantization_pertensor_hook)   -- or hooks.quantization_perchannel_hook
> ddp(torch.ones(4, 2)):sum():backward()
> ddp.module.weight.grad
tensor([[4., 4.]])
> torch.distributed.destroy_process_group()

?torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.batched_powerSGD_hook
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> ddp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
> hooks = torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook
> ddp:register_comm_hook(hooks.PowerSGDState(nil, {start_powerSGD_iter = 10}), hooks.batched_powerSGD_hook)
> ddp(torch.ones(4, 2)):sum():backward()
> ddp.module.weight.grad
tensor([[4., 4.]])
> torch.distributed.destroy_process_group()

?torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook.PostLocalSGDState torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook.post_localSGD_hook torch.distributed.optim.PostLocalSGDOptimizer torch.distributed.algorithms.model_averaging torch.distributed.algorithms.model_averaging.averagers torch.distributed.algorithms.model_averaging.averagers.ModelAverager torch.distributed.algorithms.model_averaging.averagers.PeriodicModelAverager
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> ddp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
> hooks = torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook
> ddp:register_comm_hook(hooks.PostLocalSGDState(nil, nil, 100), hooks.post_localSGD_hook)
> averager = torch.distributed.algorithms.model_averaging.averagers.PeriodicModelAverager(4, {warmup_steps = 100})   -- a ModelAverager
> optimizer = torch.distributed.optim.PostLocalSGDOptimizer(torch.optim.SGD(ddp:parameters(), {lr = 0.1}), averager)
> ddp(torch.ones(4, 2)):sum():backward()
> optimizer:step()
> averager.step
1
> torch.distributed.destroy_process_group()

?torch.distributed.algorithms.model_averaging.hierarchical_model_averager torch.distributed.algorithms.model_averaging.hierarchical_model_averager.HierarchicalModelAverager torch.distributed.algorithms.model_averaging.utils torch.distributed.algorithms.model_averaging.utils.average_parameters torch.distributed.algorithms.model_averaging.utils.average_parameters_or_parameter_groups torch.distributed.algorithms.model_averaging.utils.get_params_to_average
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> averager = torch.distributed.algorithms.model_averaging.hierarchical_model_averager.HierarchicalModelAverager{period_group_size_dict = {[4] = 1}}
> w = torch.nn.Parameter(torch.ones(2))
> w:sum():backward()
> averager:average_parameters{w}   -- of those that have a gradient
> utils = torch.distributed.algorithms.model_averaging.utils
> utils.average_parameters_or_parameter_groups({w}, nil)   -- the same
> #utils.get_params_to_average{w}
1
> utils.average_parameters({w}, nil)
> w.data
tensor([1., 1.])
> torch.distributed.destroy_process_group()

?torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook.hook_with_zero_step torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook.hook_with_zero_step_interleaved
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> ddp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
> zero = torch.distributed.optim.ZeroRedundancyOptimizer(ddp:parameters(), {optimizer_class = torch.optim.SGD, overlap_with_ddp = true, lr = 0.1})
> allreduce = torch.distributed.algorithms.ddp_comm_hooks.default_hooks.allreduce_hook
> hook = torch.distributed.algorithms.ddp_comm_hooks.ddp_zero_hook.hook_with_zero_step(allreduce, ddp, zero)   -- or hook_with_zero_step_interleaved
> ddp:register_comm_hook(nil, hook)
> ddp(torch.ones(4, 2)):sum():backward()
> ddp.module.weight.grad
tensor([[4., 4.]])
> torch.distributed.destroy_process_group()

?torch.distributed.algorithms.ddp_comm_hooks.optimizer_overlap_hooks torch.distributed.optim.utils torch.distributed.optim.utils.as_functional_optim
> torch.distributed.init_process_group("fake", {rank = 0, world_size = 1})
> ddp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
> hooks = torch.distributed.algorithms.ddp_comm_hooks
> sgd = torch.distributed.optim.utils.as_functional_optim(torch.optim.SGD, {lr = 0.1})
> state = hooks.optimizer_overlap_hooks._OptimizerHookState(sgd)
> ddp:register_comm_hook(nil, hooks.optimizer_overlap_hooks._hook_then_optimizer(hooks.default_hooks.allreduce_hook, state))
> ddp(torch.ones(4, 2)):sum():backward()
> ddp.module.weight.grad
tensor([[4., 4.]])
> torch.distributed.destroy_process_group()

?torch.nn.parallel.distributed torch.nn.parallel.distributed.DistributedDataParallel
> torch.nn.parallel.distributed.DistributedDataParallel == torch.nn.parallel.DistributedDataParallel
true
]==]
