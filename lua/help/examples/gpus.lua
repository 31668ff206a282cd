-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
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

?torch.Stream torch.Event
> s, e = torch.Stream("cuda"), torch.Event{enable_timing = true}
> e:record(s)
> e:synchronize()
> e:query()
true

?torch.OutOfMemoryError torch.cuda.OutOfMemoryError
> ok, err = pcall(torch.empty, 1 << 50, {device = "cuda"})
> err.code == torch.OutOfMemoryError, err.code == torch.cuda.OutOfMemoryError
true	true

?torch.autograd.profiler.emit_nvtx torch.autograd.profiler.record_function torch.autograd.profiler
> torch.autograd.profiler.emit_nvtx(function() return torch.ones(2, {device = "cuda"}):sum():item() end)
2.0
> torch.autograd.profiler.record_function("forward", function() return 3 end)
3
]==]
