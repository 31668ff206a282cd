-- Loaders and splits with generators of their own.
local torch = require "torch"
local data = torch.utils.data
local set = data.TensorDataset(torch.arange(8))
local g = torch.Generator():manual_seed(42)
local a, b = data.random_split(set, {5, 3}, {generator = g})
for x in data.DataLoader(a, {batch_size = 5}) do print(x) end
for x in data.DataLoader(b, {batch_size = 3}) do print(x) end
torch.manual_seed(0)
local loader = data.DataLoader(set, {batch_size = 8, shuffle = true, generator = torch.Generator():manual_seed(7)})
for x in loader do print(x) end
for x in loader do print(x) end
print(torch.rand(2))
