-- nn/parallel/DistributedDataParallel.lua: torch.nn.parallel.DistributedDataParallel.
local torch = ...

--- DistributedDataParallel(module, ...) averages the gradients of a module over the ranks of a process group while backward runs.
return torch._part "distributed.data_parallel"
