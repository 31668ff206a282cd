-- Samplers give the order.
local torch = require "torch"
local data = torch.utils.data
local set = data.TensorDataset(torch.arange(6))
for x in data.DataLoader(set, {sampler = {5, 0, 3}, batch_size = 2}) do print(x) end
for x in data.DataLoader(set, {sampler = data.SequentialSampler(set), batch_size = 4}) do print(x) end
for x in data.DataLoader(set, {batch_sampler = {{0, 1}, {5}, {2, 3, 4}}}) do print(x) end
for x in data.DataLoader(set, {batch_sampler = data.BatchSampler(data.SequentialSampler(set), 4, true)}) do print(x) end
torch.manual_seed(8)
for x in data.DataLoader(set, {sampler = data.RandomSampler(set), batch_size = 6}) do print(x) end
print(#data.SequentialSampler(set), #data.BatchSampler(data.SequentialSampler(set), 4, false))
