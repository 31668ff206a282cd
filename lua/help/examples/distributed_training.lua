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
]==]
