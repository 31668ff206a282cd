-- sort, argsort, topk, unique.
local torch = require "torch"
local x = torch.tensor{{3.0, 1.0, 2.0}, {9.0, 7.0, 8.0}}
local values, indices = x:sort()
print(values, indices)
values, indices = torch.sort(x, {dim = 0, descending = true})
print(values, indices)
print(x:argsort(), torch.argsort(x, {dim = 1, descending = true}))
values, indices = x:topk(2)
print(values, indices)
values, indices = torch.topk(x, 1, {dim = 0, largest = false})
print(values, indices)
print(torch.tensor{3, 1, 3, 2, 1}:unique(), torch.bincount(torch.tensor{0, 1, 1, 3}))
values, indices = torch.sort(torch.tensor{2, 1, 2, 1}, {stable = true})
print(values, indices)
print((torch.kthvalue(torch.tensor{5, 3, 4}, 2)))
