-- A dtype that does not fit moves to its own line.
local torch = require "torch"
for n = 1, 18 do print(torch.zeros(n, {dtype = torch.int32})) end
for n = 12, 17 do print(torch.zeros(n, {dtype = torch.float64})) end
print(torch.zeros(2, 14, {dtype = torch.float64}))
print(torch.zeros(2, 20, {dtype = torch.int16}))
print(torch.zeros(2, 21, {dtype = torch.int16}))
