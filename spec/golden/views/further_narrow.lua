-- select, narrow, index_select, take, gather: further operators.
local torch = require "torch"
local x = torch.arange(12):reshape(3, 4)
-- select, narrow, index_select, take, gather.
print(x:gather(1, torch.tensor{{0, 1}, {2, 3}, {0, 0}}))
print(torch.masked_select(x, x:gt(8)))
print(x:take(torch.tensor{0, 5, -1}))
print(x:diagonal(), torch.diag(torch.tensor{1, 2}))
