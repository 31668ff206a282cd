-- distributed/nn/init.lua: torch.distributed.nn: collectives with gradients, in nn.functional.
local torch = ...
local nn = {functional = torch._part "torch.distributed.nn.functional"}
for name, f in pairs(nn.functional) do nn[name] = f end
return torch._namespace(nn, "torch.distributed.nn")
