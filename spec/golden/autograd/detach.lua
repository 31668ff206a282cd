-- detach shares the numbers, not the graph.
local torch = require "torch"
local x = torch.ones(3, {requires_grad = true})
local d = x:detach()
print(d.requires_grad, d.is_leaf)
d[0] = 5
print(x)
local y = x * 2
local z = y:detach()
print(z, z.grad_fn)
;(y * z):sum():backward()
print(x.grad)
local c = x:clone()
print(c)
c:sum():backward()
print(x.grad)
print(x.data, x.data.requires_grad)
