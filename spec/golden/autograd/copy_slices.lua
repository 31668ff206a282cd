-- Assignment of tensors that require gradients.
local torch = require "torch"
local v = torch.tensor({1.0, 2.0}, {requires_grad = true})
local z = torch.zeros(3, 2)
z[1] = v
print(z)
print(z.requires_grad)
;(z * 4):sum():backward()
print(v.grad)
local m = torch.zeros(2, 2)
m[":, 0"] = v
m["0"] = v * v
print(m)
m:sum():backward()
print(v.grad)
