-- A data set of one's own, subsets and joined data sets in loaders of every form.
local torch = require "torch"
local data = torch.utils.data
torch.manual_seed(11)
local D = data.Dataset:extend "Squares"
function D:init(n, transform) self.n, self.transform = n, transform or false end
function D:__len() return self.n end
function D:getitem(i) local x = torch.tensor{i * 1.0, i * i * 1.0} if self.transform then x = self.transform(x) end return x, i % 3 end
local d = D(10, function(x) return x / 2 end)
print(#d) 
local x, y = d[3][1], d[3][2] print(x, y)
for i, x, y in data.DataLoader(d, {batch_size = 4, shuffle = true}):enumerate() do print(i, x, y) end
for i, x, y in data.DataLoader(d, {batch_size = 4, shuffle = true, drop_last = true, generator = torch.Generator():manual_seed(2)}):enumerate() do print(i, x, y) end
local sub = data.Subset(d, {9, 1, 5}) print(#sub) for x, y in data.DataLoader(sub, {batch_size = 2}) do print(x, y) end
local cat = data.ConcatDataset{d, D(3)} print(#cat, cat[11][1], cat[11][2])
local l = data.DataLoader(d) print(#l, l.batch_size, l.drop_last) for x, y in l do print(x, y) break end
