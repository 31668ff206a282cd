-- Assignment through subscripts.
local torch = require "torch"
local x = torch.zeros(3, 4)
x[{0, 0}] = 1
x["1, :"] = 2
x[":, -1"] = 9
print(x)
x["0, 1:3"] = torch.tensor{5.0, 6.0}
x["::2, 0"] = -1
print(x)
x[{{0, 2}, 1}] = 7
print(x)
x["..., 2"] = torch.tensor{{10.0, 20.0, 30.0}}
print(x)
print(x)
x["0:2, 0:2"] = torch.ones(2, 2) * 0.5
print(x)
x["..."] = 3
print(x)
x[":"] = torch.arange(4)
print(x)
