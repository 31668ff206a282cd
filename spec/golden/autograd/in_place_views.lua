-- Writing through a view changes the base's history.
local torch = require "torch"
local x = torch.tensor({1.0, 2.0, 3.0, 4.0}, {requires_grad = true})
local y = x * 2
y[0] = 10
print(y)
y["2:"]:mul_(5)
print(y)
y:sum():backward()
print(x.grad)
x.grad = nil
local base = x * 1
local view = base:view(2, 2)
view[0]:zero_()
print(view)
print(base)
;(base * torch.tensor{1.0, 2.0, 3.0, 4.0}):sum():backward()
print(x.grad)
x.grad = nil
base = x:clone()
base["1:3"] = x["0:2"] * 3
base:sum():backward()
print(x.grad)
