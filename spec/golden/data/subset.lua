-- Subsets and random_split.
local torch = require "torch"
local data = torch.utils.data
local set = data.TensorDataset(torch.arange(10) * 10)
local subset = data.Subset(set, {1, 3, 5})
print(#subset, subset[0][1], subset[2][1])
for x in data.DataLoader(subset, {batch_size = 2}) do print(x) end
torch.manual_seed(3)
local train, test = data.random_split(set, {6, 4})
print(#train, #test)
for x in data.DataLoader(train, {batch_size = 6}) do print(x) end
for x in data.DataLoader(test, {batch_size = 4}) do print(x) end
local a, b = data.random_split(train, {0.5, 0.5})
for x in data.DataLoader(a, {batch_size = 3}) do print(x) end
for x in data.DataLoader(b, {batch_size = 3, shuffle = true}) do print(x) end
