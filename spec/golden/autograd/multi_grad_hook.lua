-- A hook on several tensors waits for those alone whose gradients the backward computes.
local torch = require "torch"
local a, b, c = torch.ones(2, {requires_grad = true}), torch.ones(2, {requires_grad = true}), torch.ones(2, {requires_grad = true})

local function shown(g) return g and tostring(g) or "none" end

local handle = torch.autograd.graph.register_multi_grad_hook({a, b, c}, function(grads)
  print("all", shown(grads[1]), shown(grads[2]), shown(grads[3]))
end)
;(a * 2):sum():backward()
;(a * b):sum():backward()
;(a * b * c * 3):sum():backward()
handle:remove()
;(a * 2):sum():backward()

handle = torch.autograd.graph.register_multi_grad_hook({a, c}, function(grad) print("any", shown(grad)) end, {mode = "any"})
;(a * 2):sum():backward()
;(a * c):sum():backward()
;(c * 5):sum():backward()
handle:remove()

local d = a * 2
handle = torch.autograd.graph.register_multi_grad_hook({d, b}, function(grads) print("results", shown(grads[1]), shown(grads[2])) end)
;(d * b):sum():backward()
;(b * 4):sum():backward()
handle:remove()
