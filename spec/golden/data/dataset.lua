-- A data set of one's own.
local torch = require "torch"
local data = torch.utils.data
local Squares = data.Dataset:extend "Squares"
function Squares:init(n) self.n = n end
function Squares:__len() return self.n end
function Squares:getitem(i) return torch.tensor(i), torch.tensor(i * i) end
local set = Squares(7)
print(#set)
print(set[3][1], set[3][2])
for x, y in data.DataLoader(set, {batch_size = 3}) do print(x, y) end
torch.manual_seed(1)
for x, y in data.DataLoader(set, {batch_size = 3, shuffle = true}) do print(x, y) end
