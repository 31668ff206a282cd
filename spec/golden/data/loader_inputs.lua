-- What a loader takes: tuples, numbers, tensors, tables, batches of batches, and what goes wrong.
local torch = require "torch"
local data = torch.utils.data
torch.manual_seed(11)
local T = data.TensorDataset(torch.arange(20):reshape(10, 2):float(), torch.arange(10), torch.rand(10, {dtype = torch.float64}))
print(#T, T[4][1], T[4][2], T[4][3]) print(T.tensors[1].shape)
print((select(2, pcall(data.TensorDataset, torch.ones(3), torch.ones(4)))).message)
for a, b, c in data.DataLoader(T, {batch_size = 3}) do print(a, b, c) end
local l = data.DataLoader(T, {batch_size = 4, shuffle = true})
for e = 1, 3 do for a, b in l do io.write(table.concat(b:tolist(), " "), " | ") end print() end
local train, val, test = data.random_split(T, {0.6, 0.2, 0.2}) print(#train, #val, #test)
for a, b in data.DataLoader(train, {batch_size = 2, shuffle = true}) do print(b) end
for a, b in data.DataLoader(val, {batch_size = #val}) do print(a, b) end
print((select(2, pcall(data.random_split, T, {5, 6}))).message)
print((select(2, pcall(data.DataLoader, T, {batch_size = 0}))).message)
print((select(2, pcall(data.DataLoader, T, {shuffle = true, sampler = data.SequentialSampler(T)}))).message)
for a, b in l do for c, d in l do io.write(#d, " ") end print(b) break end
for a in data.DataLoader({1, 2, 3, 4, 5}, {batch_size = 2}) do print(a) end
for a in data.DataLoader({1.5, 2.5, 3.5}, {batch_size = 2, shuffle = true}) do print(a) end
for a in data.DataLoader(torch.arange(6):reshape(3, 2), {batch_size = 2}) do print(a) end
for a in data.DataLoader({{x = 1, y = torch.zeros(2)}, {x = 2, y = torch.ones(2)}}, {batch_size = 2}) do print(a.x, a.y) end
for x, y in data.DataLoader({{torch.tensor(1.0), 0}, {torch.tensor(2.0), 1}, {torch.tensor(3.0), 2}}, {batch_size = 2}) do print(x, y) end
for x in data.DataLoader(T, {batch_size = 3, collate_fn = function(batch) return #batch end}) do print(x) end
print(torch.rand(1))
print(#data.BatchSampler(data.SequentialSampler(T), 4, true), #data.RandomSampler(T))
