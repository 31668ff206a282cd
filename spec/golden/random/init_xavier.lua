-- Xavier's initializers.
local torch = require "torch"
local init = torch.nn.init
torch.manual_seed(13)
print(init.xavier_uniform_(torch.empty(3, 4)))
print(init.xavier_uniform_(torch.empty(3, 4), {gain = 2.0}))
print(init.xavier_normal_(torch.empty(3, 4)))
print(init.xavier_normal_(torch.empty(4, 4)))
print(init.calculate_gain("relu"), init.calculate_gain("tanh"), init.calculate_gain("linear"), init.calculate_gain("leaky_relu", 0.2))
