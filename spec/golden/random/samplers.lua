-- Random samplers, alone and in a loader.
local torch = require "torch"
local data = torch.utils.data
local set = data.TensorDataset(torch.arange(6) * 10)
torch.manual_seed(1)
for x in data.DataLoader(set, {sampler = data.RandomSampler(set), batch_size = 2}) do print(x) end
for x in data.DataLoader(set, {sampler = data.SubsetRandomSampler{1, 3, 5}}) do print(x) end
for x in data.DataLoader(set, {sampler = data.RandomSampler(set, {replacement = true, num_samples = 5}), batch_size = 5}) do print(x) end
for x in data.DataLoader(set, {sampler = data.WeightedRandomSampler({1, 1, 0, 0, 0, 5}, 6), batch_size = 6}) do print(x) end
for x in data.DataLoader(set, {sampler = data.SequentialSampler(set), batch_size = 4}) do print(x) end
