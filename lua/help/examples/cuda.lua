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

?torch.cuda.CUDAGraph torch.cuda.graph torch.cuda.is_current_stream_capturing
> x = torch.zeros(2, {device = "cuda"})
> g = torch.cuda.CUDAGraph()
> torch.cuda.graph(g, function() x:add_(1); return torch.cuda.is_current_stream_capturing() end)
true
> g:replay(); g:replay()
> x
tensor([2., 2.], device='cuda:0')

?torch.cuda.graphs
> torch.cuda.graphs.CUDAGraph == torch.cuda.CUDAGraph
true

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

?torch.cuda.amp.custom_fwd torch.cuda.amp.custom_bwd
> type(torch.cuda.amp.custom_fwd), type(torch.cuda.amp.custom_bwd)
"function"	"function"

?torch.cuda.ExternalStream torch.cuda.get_stream_from_external torch.cuda.StreamContext torch.cuda.streams torch.cuda.streams.Stream torch.cuda.streams.Event torch.cuda.streams.ExternalStream
> s = torch.cuda.streams.Stream()
> torch.cuda.ExternalStream(s.cuda_stream) == s, torch.cuda.get_stream_from_external(s.cuda_stream) == s
true	true
> torch.cuda.StreamContext(s, function() return torch.ones(2, {device = "cuda"}):sum():item() end)
2.0
> type(torch.cuda.streams.Event), type(torch.cuda.streams.ExternalStream)
"function"	"function"

?torch.cuda.device_of torch.cuda.current_blas_handle torch.cuda.cudart torch.cuda.cudaStatus torch.cuda.get_gencode_flags torch.cuda.has_half torch.cuda.has_magma torch.cuda.is_tf32_supported
> torch.cuda.device_of(torch.ones(1), function() return torch.cuda.current_device() end)
0
> torch.cuda.current_blas_handle() ~= 0, torch.cuda.cudart().cudaProfilerStop() == torch.cuda.cudaStatus.SUCCESS
true	true
> torch.cuda.has_half, torch.cuda.has_magma, type(torch.cuda.is_tf32_supported()), type(torch.cuda.get_gencode_flags())
true	false	"boolean"	"string"

?torch.cuda.set_sync_debug_mode torch.cuda.get_sync_debug_mode
> torch.cuda.set_sync_debug_mode("error")
> torch.cuda.get_sync_debug_mode()
2
> torch.cuda.set_sync_debug_mode(0)

?torch.cuda.utilization torch.cuda.memory_usage torch.cuda.temperature torch.cuda.power_draw torch.cuda.clock_rate torch.cuda.device_memory_used torch.cuda.list_gpu_processes
> type((pcall(torch.cuda.utilization))), type((pcall(torch.cuda.memory_usage))), type((pcall(torch.cuda.temperature)))
"boolean"	"boolean"	"boolean"
> type((pcall(torch.cuda.power_draw))), type((pcall(torch.cuda.clock_rate))), type((pcall(torch.cuda.device_memory_used)))
"boolean"	"boolean"	"boolean"
> type(torch.cuda.list_gpu_processes())
"string"

?torch.cuda.nvtx torch.cuda.nvtx.mark torch.cuda.nvtx.range torch.cuda.nvtx.range_push torch.cuda.nvtx.range_pop torch.cuda.nvtx.range_start torch.cuda.nvtx.range_end
> nvtx = torch.cuda.nvtx
> nvtx.range("step {}", 1, function() return 3 end)
3
> nvtx.range_push "forward"; nvtx.mark "here"; nvtx.range_pop()
> id = nvtx.range_start "loading"
> nvtx.range_end(id)

?torch.cuda.profiler torch.cuda.profiler.start torch.cuda.profiler.stop torch.cuda.profiler.profile
> torch.cuda.profiler.start(); torch.cuda.profiler.stop()
> torch.cuda.profiler.profile(function() return 3 end)
3

?torch.cuda.memory_stats_as_nested_dict torch.cuda.reset_accumulated_memory_stats torch.cuda.host_memory_stats torch.cuda.host_memory_stats_as_nested_dict torch.cuda.reset_accumulated_host_memory_stats torch.cuda.reset_peak_host_memory_stats torch.cuda.memory_snapshot
> torch.cuda.memory_stats_as_nested_dict().active.all.current >= 0
true
> torch.cuda.reset_accumulated_memory_stats(); torch.cuda.reset_accumulated_host_memory_stats(); torch.cuda.reset_peak_host_memory_stats()
> type(torch.cuda.host_memory_stats()), type(torch.cuda.host_memory_stats_as_nested_dict()), type(torch.cuda.memory_snapshot())
"table"	"table"	"table"

?torch.cuda.set_per_process_memory_fraction torch.cuda.get_per_process_memory_fraction torch.cuda.caching_allocator_alloc torch.cuda.caching_allocator_delete torch.cuda.get_allocator_backend
> torch.cuda.set_per_process_memory_fraction(0.5)
> torch.cuda.get_per_process_memory_fraction()
0.5
> torch.cuda.set_per_process_memory_fraction(1.0)
> torch.cuda.caching_allocator_delete(torch.cuda.caching_allocator_alloc(1024))
> torch.cuda.get_allocator_backend()
"native"

?torch.cuda.memory_cached torch.cuda.max_memory_cached
> type(torch.cuda.memory_cached), type(torch.cuda.max_memory_cached)
"function"	"function"

?torch.cuda.memory torch.cuda.memory.caching_allocator_alloc torch.cuda.memory.caching_allocator_delete torch.cuda.memory.empty_cache torch.cuda.memory.get_allocator_backend torch.cuda.memory.get_per_process_memory_fraction torch.cuda.memory.host_memory_stats torch.cuda.memory.host_memory_stats_as_nested_dict torch.cuda.memory.max_memory_allocated torch.cuda.memory.max_memory_cached torch.cuda.memory.max_memory_reserved torch.cuda.memory.mem_get_info torch.cuda.memory.memory_allocated torch.cuda.memory.memory_cached torch.cuda.memory.memory_reserved torch.cuda.memory.memory_snapshot torch.cuda.memory.memory_stats torch.cuda.memory.memory_stats_as_nested_dict torch.cuda.memory.memory_summary torch.cuda.memory.reset_accumulated_host_memory_stats torch.cuda.memory.reset_accumulated_memory_stats torch.cuda.memory.reset_max_memory_allocated torch.cuda.memory.reset_max_memory_cached torch.cuda.memory.reset_peak_host_memory_stats torch.cuda.memory.reset_peak_memory_stats torch.cuda.memory.set_per_process_memory_fraction
> m = torch.cuda.memory
> m.caching_allocator_alloc == torch.cuda.caching_allocator_alloc, m.caching_allocator_delete == torch.cuda.caching_allocator_delete, m.empty_cache == torch.cuda.empty_cache, m.get_allocator_backend == torch.cuda.get_allocator_backend, m.get_per_process_memory_fraction == torch.cuda.get_per_process_memory_fraction
true	true	true	true	true
> m.host_memory_stats == torch.cuda.host_memory_stats, m.host_memory_stats_as_nested_dict == torch.cuda.host_memory_stats_as_nested_dict, m.max_memory_allocated == torch.cuda.max_memory_allocated, m.max_memory_cached == torch.cuda.max_memory_cached, m.max_memory_reserved == torch.cuda.max_memory_reserved
true	true	true	true	true
> m.mem_get_info == torch.cuda.mem_get_info, m.memory_allocated == torch.cuda.memory_allocated, m.memory_cached == torch.cuda.memory_cached, m.memory_reserved == torch.cuda.memory_reserved, m.memory_snapshot == torch.cuda.memory_snapshot
true	true	true	true	true
> m.memory_stats == torch.cuda.memory_stats, m.memory_stats_as_nested_dict == torch.cuda.memory_stats_as_nested_dict, m.memory_summary == torch.cuda.memory_summary, m.reset_accumulated_host_memory_stats == torch.cuda.reset_accumulated_host_memory_stats, m.reset_accumulated_memory_stats == torch.cuda.reset_accumulated_memory_stats
true	true	true	true	true
> m.reset_max_memory_allocated == torch.cuda.reset_max_memory_allocated, m.reset_max_memory_cached == torch.cuda.reset_max_memory_cached, m.reset_peak_host_memory_stats == torch.cuda.reset_peak_host_memory_stats, m.reset_peak_memory_stats == torch.cuda.reset_peak_memory_stats, m.set_per_process_memory_fraction == torch.cuda.set_per_process_memory_fraction
true	true	true	true	true

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

?torch.Generator.get_offset torch.Generator.set_offset
> g = torch.Generator("cuda")
> g:set_offset(8);
> g:get_offset()
8

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
