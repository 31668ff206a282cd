-- Walking the graph.
local torch = require "torch"
local x = torch.ones(2, {requires_grad = true})
local y = (x * 2 + 1):sum()
local node = y.grad_fn
while node do
  print(node:name())
  local following = node.next_functions
  node = following[1] and following[1][1]
end
print(#(x + x).grad_fn.next_functions)
