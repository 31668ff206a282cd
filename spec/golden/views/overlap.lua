-- Reading and writing overlapping parts.
local torch = require "torch"
local x = torch.arange(6)
x["1:"] = x["0:5"]:clone()
print(x)
x = torch.arange(9):reshape(3, 3)
x["0"] = x["2"]
print(x)
x[":, 0"] = x["0"]
print(x)
x:add_(x.T:clone())
print(x)
