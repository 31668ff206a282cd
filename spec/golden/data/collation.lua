-- Numbers and tensors are stacked into batches.
local torch = require "torch"
local data = torch.utils.data
local Set = data.Dataset:extend "Set"
function Set:__len() return 4 end
function Set:getitem(i) return torch.ones(2) * i, i, i + 0.5 end
for x, n, f in data.DataLoader(Set(), {batch_size = 2}) do print(x, n, f) end
for x, n, f in data.DataLoader(Set()) do print(x, n, f) end
local Pair = data.Dataset:extend "Pair"
function Pair:__len() return 2 end
function Pair:getitem(i) return {torch.tensor{i, i}, i} end
for x, n in data.DataLoader(Pair(), {batch_size = 2}) do print(x, n) end
