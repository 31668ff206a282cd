-- futures.lua: torch.futures: values that will be there later.
local torch = ...
local futures = torch._part "distributed.futures"

return torch._namespace({Future = futures.Future, collect_all = futures.collect_all, wait_all = futures.wait_all}, "torch.futures")
