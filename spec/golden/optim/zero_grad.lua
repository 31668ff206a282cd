-- zero_grad and parameters without gradients.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
local optimizer = optim.Adam({a, b}, {lr = 0.1})
;(a * 2):sum():backward()
optimizer:step()
print(a, b)
print(a.grad, b.grad)
optimizer:zero_grad()
print(a.grad, b.grad)
;(a * b):sum():backward()
optimizer:zero_grad{set_to_none = false}
print(a.grad, b.grad)
optimizer:step()
print(a, b)
optimizer:zero_grad()
optimizer:step()
print(a, b)
