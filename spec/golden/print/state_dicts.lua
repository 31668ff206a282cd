-- A state dict prints as an ordered dictionary.
local torch = require "torch"
local layer = torch.nn.Linear(2, 1)
torch.nn.init.constant_(layer.weight, 0.5)
torch.nn.init.zeros_(layer.bias)
print(layer:state_dict())
print(#layer:state_dict())
print(torch.nn.ReLU():state_dict())
