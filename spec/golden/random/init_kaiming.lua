-- Kaiming's initializers.
local torch = require "torch"
local init = torch.nn.init
torch.manual_seed(14)
print(init.kaiming_uniform_(torch.empty(3, 4)))
print(init.kaiming_uniform_(torch.empty(3, 4), {a = math.sqrt(5)}))
print(init.kaiming_uniform_(torch.empty(2, 5), {mode = "fan_out", nonlinearity = "relu"}))
print(init.kaiming_normal_(torch.empty(3, 4)))
print(init.kaiming_normal_(torch.empty(2, 2), {nonlinearity = "relu"}))
