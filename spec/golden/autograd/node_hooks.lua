-- Hooks on nodes, before and after; handles; what they may put in a gradient's place.
local torch = require "torch"
local function try(...)
  local ok, e = pcall(...)
  print(ok and "no error" or (tostring(e):match "^[^\n]*"))
end
local x = torch.tensor({1.0, 2.0}, {requires_grad = true})
local y = (x * 3):exp()
local after = y.grad_fn:register_hook(function(inputs, outputs) print("after", #inputs, inputs[1], #outputs, outputs[1]) end)
local before = y.grad_fn:register_prehook(function(outputs) print("before", #outputs, outputs[1]) end)
y:sum():backward{retain_graph = true}
print(x.grad)
after:remove()
before:remove()
y.grad_fn:register_prehook(function(outputs) return {outputs[1] * 10} end)
y.grad_fn:register_hook(function(inputs, outputs) return {inputs[1] * 0 + 1} end)
y:register_hook(function(grad) print("tensor", grad) end)
x.grad = nil
y:sum():backward{retain_graph = true}
print(x.grad)
after = y.grad_fn:register_hook(function(inputs) return {inputs[1], inputs[1]} end)
try(function() y:sum():backward{retain_graph = true} end)
after:remove()
after = y.grad_fn:register_hook(function(inputs) return {torch.ones(3)} end)
try(function() y:sum():backward{retain_graph = true} end)
after:remove()
after = y.grad_fn:register_hook(function(inputs) return {2.0} end)
try(function() y:sum():backward{retain_graph = true} end)
after:remove()
-- a node with two inputs, one of which needs no gradient
local z = torch.ones(2) * (x * 1)
z.grad_fn:register_hook(function(inputs, outputs) print(inputs[1], inputs[2], outputs[1]) end)
z:sum():backward()
-- a leaf's accumulation
local sum = x * 2
local accumulate = sum.grad_fn.next_functions[1][1]
print(accumulate:name())
accumulate:register_hook(function(inputs, outputs) print("accumulated", #inputs, outputs[1], x.grad) end)
accumulate:register_prehook(function(outputs) print("accumulates", outputs[1]) end)
x.grad = nil
sum:sum():backward()
print(x.grad)
-- what is captured has passed the hooks of its tensor
local mid = x * 2
local out = mid * mid
mid.grad_fn:register_prehook(function(outputs) return {outputs[1] * 100} end)
print(torch.autograd.grad(out:sum(), mid, {retain_graph = true}))
print(torch.autograd.grad(out:sum(), x))
