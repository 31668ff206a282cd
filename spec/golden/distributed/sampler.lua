-- ranks: 2 3
-- The indices of DistributedSampler, on each rank and for each epoch.
local torch = require "torch"
local dist = torch.distributed
local DistributedSampler = torch.utils.data.distributed.DistributedSampler
dist.init_process_group "gloo"
local rank, size = dist.get_rank(), dist.get_world_size()

local function data(n) return torch.utils.data.TensorDataset(torch.arange(n) * 1.0) end
local function show(name, sampler)
  local list = {}
  for sample in torch.utils.data.DataLoader(data(#sampler.dataset), {sampler = sampler, batch_size = 1}) do
    list[#list + 1] = ("%d"):format((torch.is_tensor(sample) and sample or sample[1]):item())
  end
  print(name, #sampler, #list, table.concat(list, " "))
end

for _, n in ipairs{1, 2, 7, 12, 100} do
  for _, options in ipairs{{}, {shuffle = false}, {drop_last = true}, {seed = 5}, {shuffle = false, drop_last = true}} do
    local sampler = DistributedSampler(data(n), options)
    show(n, sampler)
    if n < 100 then
      sampler:set_epoch(3)
      show("epoch 3", sampler)
    end
  end
end
local sampler = DistributedSampler(data(11), {num_replicas = 4, rank = 1})
show("given", sampler)
local ok, e = pcall(DistributedSampler, data(11), {num_replicas = 4, rank = 4})
print(ok, e.code, e.message)
dist.destroy_process_group()
