-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.cuda.is_available torch.cuda.device_count torch.cuda.current_device torch.cuda.set_device
> torch.cuda.is_available(), torch.cuda.device_count() >= 1
true	true
> torch.cuda.set_device(0)
> torch.cuda.current_device()
0

?torch.cuda.init torch.cuda.is_initialized torch.cuda.synchronize
> torch.cuda.init()
> torch.cuda.is_initialized()
true
> torch.cuda.synchronize()

?torch.cuda.Event
> start, stop = torch.cuda.Event({enable_timing = true}), torch.cuda.Event({enable_timing = true})
> start:record(); torch.ones(8, {device = "cuda"}):add(1); stop:record()
> torch.cuda.synchronize()
> start:elapsed_time(stop) >= 0
true

?torch.cuda.Stream torch.cuda.stream torch.cuda.set_stream torch.cuda.current_stream torch.cuda.default_stream
> s = torch.cuda.Stream()
> torch.cuda.stream(s, function() return torch.ones(2, {device = "cuda"}):sum():item() end)
2.0
> torch.cuda.set_stream(torch.cuda.default_stream())
> torch.cuda.current_stream() == torch.cuda.default_stream()
true

?torch.cuda.CUDAGraph torch.cuda.graph torch.cuda.is_current_stream_capturing torch.cuda.graphs
> x = torch.zeros(2, {device = "cuda"})
> g = torch.cuda.CUDAGraph()
> torch.cuda.graph(g, function() x:add_(1); return torch.cuda.is_current_stream_capturing() end)
true
> g:replay(); g:replay()
> x
tensor([2., 2.], device='cuda:0')

?torch.cuda.graph_pool_handle
> pool, x = torch.cuda.graph_pool_handle(), torch.ones(2, {device = "cuda"})
> g, h = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
> torch.cuda.graph(g, {pool = pool}, function() y = x * 2 end)
> torch.cuda.graph(h, {pool = pool}, function() z = y + 1 end)
> g:replay(); h:replay()
> z
tensor([3., 3.], device='cuda:0')

?torch.cuda.make_graphed_callables
> net = torch.cuda.make_graphed_callables(torch.nn.Linear(3, 2):cuda(), {torch.rand(4, 3, {device = "cuda"})})
> net(torch.rand(4, 3, {device = "cuda"})):sum():backward()
> net.weight.grad.shape
torch.Size([2, 3])

?torch.cuda.MemPool torch.cuda.use_mem_pool
> pool = torch.cuda.MemPool()
> x = torch.cuda.use_mem_pool(pool, function() return torch.ones(3, {device = "cuda"}) end)
> pool:use_count()
1

?torch.cuda.amp torch.cuda.amp.autocast
> x = torch.ones(2, 2, {device = "cuda"})
> torch.cuda.amp.autocast(function() return x:matmul(x).dtype end)
torch.float16

?torch.cuda.amp.GradScaler
> torch.cuda.amp.GradScaler({init_scale = 128.}):get_scale()
128.0

?torch.cuda.can_device_access_peer torch.cuda.device
> torch.cuda.device(0, function() return torch.cuda.current_device() end)
0
> type(torch.cuda.can_device_access_peer(0, 0))
"boolean"

?torch.cuda.default_generators
> torch.cuda.default_generators[0]:manual_seed(0);
> torch.rand(2, {device = "cuda"}).shape
torch.Size([2])

?torch.cuda.memory_allocated torch.cuda.max_memory_allocated torch.cuda.memory_reserved torch.cuda.max_memory_reserved torch.cuda.reset_peak_memory_stats torch.cuda.reset_max_memory_allocated torch.cuda.reset_max_memory_cached torch.cuda.empty_cache
> before = torch.cuda.memory_allocated()
> x = torch.zeros(256, {device = "cuda"})
> torch.cuda.memory_allocated() - before
1024
> torch.cuda.max_memory_allocated() >= torch.cuda.memory_allocated(), torch.cuda.max_memory_reserved() >= torch.cuda.memory_reserved()
true	true
> torch.cuda.reset_peak_memory_stats(); torch.cuda.reset_max_memory_allocated(); torch.cuda.reset_max_memory_cached(); torch.cuda.empty_cache()

?torch.cuda.memory_stats torch.cuda.memory_summary torch.cuda.mem_get_info torch.cuda.ipc_collect
> torch.cuda.memory_stats()["allocated_bytes.all.current"] >= 0
true
> type(torch.cuda.memory_summary())
"string"
> free, total = torch.cuda.mem_get_info()
> free <= total
true
> torch.cuda.ipc_collect()

?torch.cuda.get_arch_list torch.cuda.get_device_capability torch.cuda.get_device_name torch.cuda.get_device_properties torch.cuda.is_bf16_supported
> type(torch.cuda.get_device_name(0)), torch.cuda.get_device_properties(0).total_memory > 0
"string"	true
> major, minor = torch.cuda.get_device_capability()
> math.type(major)
"integer"
> type(torch.cuda.get_arch_list()), type(torch.cuda.is_bf16_supported())
"table"	"boolean"

?torch.cuda.get_rng_state torch.cuda.set_rng_state torch.cuda.get_rng_state_all torch.cuda.set_rng_state_all
> state = torch.cuda.get_rng_state()
> x = torch.rand(2, {device = "cuda"})
> torch.cuda.set_rng_state(state)
> torch.rand(2, {device = "cuda"}):equal(x)
true
> torch.cuda.set_rng_state_all(torch.cuda.get_rng_state_all())

?torch.cuda.initial_seed torch.cuda.manual_seed torch.cuda.manual_seed_all torch.cuda.seed torch.cuda.seed_all torch.cuda.random
> torch.cuda.manual_seed(7)
> torch.cuda.initial_seed()
7
> torch.cuda.manual_seed_all(7); torch.cuda.random.manual_seed(7);
> torch.cuda.seed(); torch.cuda.seed_all()

?torch.cuda.reason
> torch.cuda.reason()
""

?torch.Generator.get_offset torch.Generator.set_offset
> g = torch.Generator("cuda")
> g:set_offset(8);
> g:get_offset()
8

?torch.accelerator.is_available torch.accelerator.current_accelerator torch.accelerator.device_count torch.accelerator.current_device_index torch.accelerator.set_device_index torch.accelerator.set_device_idx
> torch.accelerator.is_available(), torch.accelerator.current_accelerator()
true	cuda
> torch.accelerator.set_device_index(0); torch.accelerator.set_device_idx(0)
> torch.accelerator.current_device_index(), torch.accelerator.device_count() >= 1
0	true

?torch.accelerator.current_stream torch.accelerator.set_stream torch.accelerator.synchronize
> torch.accelerator.set_stream(torch.accelerator.current_stream())
> torch.accelerator.synchronize()

?torch.accelerator.memory_allocated torch.accelerator.max_memory_allocated torch.accelerator.memory_reserved torch.accelerator.max_memory_reserved torch.accelerator.memory_stats torch.accelerator.reset_peak_memory_stats torch.accelerator.empty_cache
> x = torch.zeros(256, {device = "cuda"})
> torch.accelerator.memory_allocated() >= 1024, torch.accelerator.max_memory_allocated() >= 1024
true	true
> torch.accelerator.memory_reserved() <= torch.accelerator.max_memory_reserved()
true
> torch.accelerator.memory_stats()["allocated_bytes.all.current"] >= 1024
true
> torch.accelerator.reset_peak_memory_stats(); torch.accelerator.empty_cache()

?torch.nn.parallel torch.nn.parallel.data_parallel
> net = torch.nn.Linear(2, 1):cuda()
> torch.nn.parallel.data_parallel(net, torch.zeros(4, 2, {device = "cuda"})).shape
torch.Size([4, 1])

?torch.nn.parallel.replicate torch.nn.parallel.scatter torch.nn.parallel.parallel_apply torch.nn.parallel.gather
> parallel, net = torch.nn.parallel, torch.nn.Linear(2, 1):cuda()
> copies, pieces = parallel.replicate(net, {0}), parallel.scatter(torch.zeros(4, 2, {device = "cuda"}), {0})
> parallel.gather(parallel.parallel_apply(copies, pieces), 0).shape
torch.Size([4, 1])
]==]
