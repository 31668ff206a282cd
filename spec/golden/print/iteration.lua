-- pairs walks the rows of a tensor from 0.
local torch = require "torch"
local x = torch.arange(6):reshape(3, 2)
for i, row in pairs(x) do print(i, row) end
for i, v in pairs(torch.tensor{0.5, 1.5}) do print(i, v, v:item()) end
print(#x, #x[0])
