-- Parts of the graph without gradients.
local torch = require "torch"
local a = torch.ones(2, {requires_grad = true})
local b = torch.ones(2)
local c = torch.ones(2, {requires_grad = true})
;((a * b) + (c:detach() * 3)):sum():backward()
print(a.grad, b.grad, c.grad)
local d = a * 2
local e = torch.no_grad(function() return d * 3 end)
;(d + e):sum():backward()
print(a.grad)
print(e.requires_grad)
