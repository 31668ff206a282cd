-- Masks select and assign.
local torch = require "torch"
local x = torch.arange(6.):reshape(2, 3)
print(x[x:gt(2)])
print(x[x:eq(100)])
print(x[torch.tensor{true, false}])
print(x[{":", torch.tensor{true, false, true}}])
print(x[{0, torch.tensor{false, true, true}}])
print(x[torch.tensor{{true, false, false}, {false, false, true}}])
x[x:lt(2)] = -1
print(x)
x[x:ge(4)] = torch.tensor{40.0, 50.0}
print(x)
x[{":", torch.tensor{false, true, false}}] = 8
print(x)
x[torch.tensor{false, true}] = torch.tensor{7.0, 7.5, 7.25}
print(x)
x[~x:gt(0)] = 100
print(x)
print(x[x:gt(7) & x:lt(50)])
