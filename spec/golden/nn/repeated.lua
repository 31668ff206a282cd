-- Equal neighbours in a ModuleList share a line.
local torch = require "torch"
local nn = torch.nn
print(nn.ModuleList{nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)})
print(nn.ModuleList{nn.ReLU(), nn.ReLU(), nn.Linear(1, 1), nn.ReLU()})
print(nn.Sequential(nn.ReLU(), nn.ReLU()))
local list = nn.ModuleList{nn.Linear(1, 2)}
list:append(nn.Linear(2, 3))
list:extend{nn.ReLU(), nn.Linear(3, 1)}
print(list)
print(#list, list[0], list[-1], list[2])
list:insert(0, nn.Flatten())
print(list[0], #list)
