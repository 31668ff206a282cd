-- nn/parallel/distributed/init.lua: torch.nn.parallel.distributed: what belongs to DistributedDataParallel.
local torch = ...
return torch._namespace({DistributedDataParallel = torch._part "distributed.data_parallel",
  _MixedPrecision = torch._part("distributed.mixed_precision")._MixedPrecision,
  _BufferCommHookLocation = {PRE_FORWARD = "PRE_FORWARD", POST_FORWARD = "POST_FORWARD"}}, "torch.nn.parallel.distributed")
