-- Views share their numbers.
local torch = require "torch"
local x = torch.arange(6)
local v = x:view(2, 3)
v[{0, 0}] = 100
print(x)
x[5] = -1
print(v)
local row, column = v[1], v[":, 1"]
row:add_(10)
column:mul_(2)
print(x)
print(v.T)
v.T[0] = 0
print(x)
local copy = x:clone()
copy[0] = 55
print(x[0], copy[0])
x:narrow(0, 2, 2):fill_(7)
print(v)
x["::2"]:zero_()
print(x)
local flat = v:flatten()
flat[1] = 1000
print(x)
local transposed = v.T:reshape(6)
transposed[0] = 9
print(x)
print(x:detach():data_ptr() == x:data_ptr(), x:clone():data_ptr() == x:data_ptr())
