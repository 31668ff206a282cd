-- random_split shuffles the indices once.
local torch = require "torch"
local data = torch.utils.data
torch.manual_seed(42)
local set = data.TensorDataset(torch.arange(10))
local a, b = data.random_split(set, {7, 3})
print(#a, #b)
for i = 0, #a - 1 do print(i, a[i][1]) end
for i = 0, #b - 1 do print(i, b[i][1]) end
a, b = data.random_split(set, {0.8, 0.2}, {generator = torch.Generator():manual_seed(1)})
print(#a, #b, a[0][1], b[1][1])
local c, d, e = data.random_split(set, {0.5, 0.25, 0.25})
print(#c, #d, #e, c[0][1], d[0][1], e[0][1])
print(table.concat(a.indices, " "))
print(torch.rand(1))
