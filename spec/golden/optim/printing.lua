-- Optimizers print their groups.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local function w() return nn.Parameter(torch.ones(1)) end
print(optim.SGD({w()}, {lr = 0.01}))
print(optim.SGD({w()}, {lr = 0.01, momentum = 0.9, nesterov = true}))
print(optim.Adam({w()}))
print(optim.AdamW({w()}, {lr = 3e-4, weight_decay = 0.1}))
print(optim.SGD({{params = {w()}, lr = 0.5}, {params = {w()}}}, {lr = 0.1}))
