-- Tensors as subscripts.
local torch = require "torch"
local x = torch.arange(12):reshape(3, 4)
print(x[torch.tensor{2, 0}])
print(x[torch.tensor{-1}])
print(x[torch.tensor(1)])
print(x[torch.tensor{{0, 1}, {2, 0}}].shape)
print(x[{torch.tensor{0, 1}, torch.tensor{1, 3}}])
print(x[{":", torch.tensor{3, 0}}])
print(x[{torch.tensor{0, 2}, "1:3"}])
print(x[{torch.tensor{{0}, {2}}, torch.tensor{0, 3}}])
print(x[{1, torch.tensor{0, 0, 3}}])
print(x[torch.tensor({}, {dtype = torch.int64})].shape)
x[torch.tensor{0, 2}] = -1
print(x)
x[{torch.tensor{0, 1}, torch.tensor{0, 1}}] = torch.tensor{100, 200}
print(x)
x[{":", torch.tensor{3}}] = 5
print(x)
local y = torch.zeros(3)
y[torch.tensor{1, 1, 2}] = torch.tensor{1.0, 1.0, 4.0}
print(y)
