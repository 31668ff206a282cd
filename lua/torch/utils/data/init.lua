-- utils/data/init.lua: torch.utils.data: datasets, samplers, and the loader that combines them.
local torch = ...
local data = {DataLoader = torch._part "utils.data.loader"}
for name, class in pairs(torch._part "utils.data.sampler") do data[name] = class end
for name, class in pairs(torch._part "utils.data.dataset") do data[name] = class end
for name, f in pairs(torch._part "utils.data.collate") do data[name] = f end
--- Returns, in a worker of a DataLoader, its id, num_workers, seed and dataset (its own copy); elsewhere nil.
function data.get_worker_info() return rawget(torch, "_worker_info") end
return torch._namespace(data, "torch.utils.data")
