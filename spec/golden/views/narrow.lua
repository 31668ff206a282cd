-- select, narrow, index_select, take, gather.
local torch = require "torch"
local x = torch.arange(12):reshape(3, 4)
print(x:select(0, 1), x:select(1, -1), torch.select(x, 1, 0))
print(x:narrow(0, 1, 2))
print(x:narrow(1, -2, 2))
print(x:narrow(0, 1, 0).shape)
print(x:index_select(0, torch.tensor{2, 2, 0}))
print(torch.index_select(x, 1, torch.tensor{3}))
print(x:masked_fill(x:lt(6), -1))
print(x:gather(1, torch.tensor{{0, 1}, {2, 3}, {0, 0}}))
print(torch.masked_select(x, x:gt(8)))
print(x:take(torch.tensor{0, 5, -1}))
print(x:diagonal(), torch.diag(torch.tensor{1, 2}))
