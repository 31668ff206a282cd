-- Splits, samplers and shuffles, with and without generators.
local torch = require "torch"
local data = torch.utils.data
torch.manual_seed(1)
local set = data.TensorDataset(torch.arange(11))
local a, b, c = data.random_split(set, {5, 3, 3})
for _, s in ipairs{a, b, c} do print(table.concat(s.indices, " ")) end
local a, b = data.random_split(set, {0.7, 0.3}, {generator = torch.Generator():manual_seed(42)})
for _, s in ipairs{a, b} do print(table.concat(s.indices, " ")) end
local a, b, c = data.random_split(set, {0.5, 0.25, 0.25})
print(#a, #b, #c, torch.rand(1))
local function show(loader) local s = {} for x in loader do s[#s + 1] = table.concat(x:tolist(), " ") end print(table.concat(s, " | ")) end
local l = data.DataLoader(set, {batch_size = 4, shuffle = true})
show(l) show(l) print(torch.rand(1))
local g = torch.Generator():manual_seed(7)
local l = data.DataLoader(set, {batch_size = 4, shuffle = true, generator = g})
show(l) show(l) print(torch.rand(1), torch.rand(1, {generator = g}))
local l = data.DataLoader(set, {batch_size = 4}) show(l) print(torch.rand(1))
local l = data.DataLoader(set, {batch_size = 4, shuffle = true, drop_last = true}) show(l) print(#l)
show(data.DataLoader(set, {batch_size = 3, sampler = data.RandomSampler(set)}))
show(data.DataLoader(set, {batch_size = 3, sampler = data.RandomSampler(set, {replacement = true, num_samples = 6})}))
show(data.DataLoader(set, {batch_size = 3, sampler = data.RandomSampler(set, {replacement = true, num_samples = 40})}))
show(data.DataLoader(set, {batch_size = 3, sampler = data.RandomSampler(set, {num_samples = 5})}))
show(data.DataLoader(set, {batch_size = 3, sampler = data.RandomSampler(set, {num_samples = 25})}))
show(data.DataLoader(set, {batch_size = 3, sampler = data.SequentialSampler(set)}))
show(data.DataLoader(set, {batch_size = 3, sampler = data.SubsetRandomSampler({1, 3, 5, 7})}))
show(data.DataLoader(set, {batch_size = 3, sampler = data.WeightedRandomSampler({1, 1, 1, 1, 1, 5, 5, 0, 0, 0, 0}, 9)}))
show(data.DataLoader(set, {batch_size = 3, sampler = data.WeightedRandomSampler({1, 1, 1, 1, 1, 5, 5, 1, 1, 1, 1}, 9, {replacement = false})}))
show(data.DataLoader(set, {batch_sampler = data.BatchSampler(data.RandomSampler(set), 4, true)}))
show(data.DataLoader(set, {batch_sampler = data.BatchSampler(data.SequentialSampler(set), {batch_size = 4, drop_last = false})}))
print(torch.rand(2))
