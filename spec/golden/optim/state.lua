-- What the state of an optimizer holds.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local w = nn.Parameter(torch.tensor{1.0, -2.0})
local optimizer = optim.Adam({w}, {lr = 0.1})
;(w ^ 2):sum():backward()
optimizer:step()
local sd = optimizer:state_dict()
print(sd.param_groups[1].lr, sd.param_groups[1].params[1], #sd.param_groups)
print(sd.state[0].step, sd.state[0].exp_avg, sd.state[0].exp_avg_sq)
optimizer = optim.SGD({w}, {lr = 0.1, momentum = 0.9})
print(#optimizer:state_dict().state)
optimizer:step()
print(optimizer:state_dict().state[0].momentum_buffer)
