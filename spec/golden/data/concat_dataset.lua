-- Data sets one after the other.
local torch = require "torch"
local data = torch.utils.data
local a, b = data.TensorDataset(torch.arange(3)), data.TensorDataset(torch.arange(10, 12))
local both = data.ConcatDataset{a, b}
print(#both, both[2][1], both[3][1], both[-1][1])
for x in data.DataLoader(both, {batch_size = 2}) do print(x) end
