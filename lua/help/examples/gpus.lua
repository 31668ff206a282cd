-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
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
