-- cpu only: a ParameterDict prints the device of its parameters
-- ParameterDict: its entries, text, state and gradients.
local torch = require "torch"
local nn = torch.nn
local p = nn.ParameterDict{{"left", nn.Parameter(torch.tensor{1.0, 2.0})}, {"right", nn.Parameter(torch.ones(2, 1))}}
print(p)
print(#p, p.left, p.right.shape)
for name, value in p:named_parameters() do print(name, value) end;
(p.left * 3):sum():backward()
print(p.left.grad, p.right.grad)
for name, value in pairs(p:state_dict()) do print(name, value) end
