-- What is assigned takes the dtype of the tensor.
local torch = require "torch"
local i = torch.zeros(4, {dtype = torch.int64})
i[0] = 2.9
i[1] = true
i[2] = torch.tensor(-1.5)
i["3:"] = torch.tensor{7.7}
print(i)
local b = torch.zeros(3, {dtype = torch.bool})
b[0] = 5
b[1] = 0.0
b[2] = -1.5
print(b)
local f = torch.zeros(3)
f[0] = true
f[1] = 7
f[2] = torch.tensor(1 / 3, {dtype = torch.float64})
print(f)
local u = torch.zeros(2, {dtype = torch.uint8})
u[0] = 255
print(u)
