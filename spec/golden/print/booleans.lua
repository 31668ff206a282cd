-- Booleans.
local torch = require "torch"
print(torch.tensor(true))
print(torch.tensor{true, false, true})
print(torch.tensor{{false, false}, {true, true}})
print(torch.arange(6):reshape(2, 3):gt(2))
print(torch.zeros(0, {dtype = torch.bool}))
print(torch.tensor(false):item())
print("value: " .. torch.tensor(true))
