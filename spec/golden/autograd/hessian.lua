-- A Hessian, row by row.
local torch = require "torch"
local grad = torch.autograd.grad
local x = torch.tensor({1.0, 2.0}, {requires_grad = true})
local y = x[0] ^ 2 * x[1] + x[1] ^ 3
local g = grad(y, x, {create_graph = true})
for i = 0, 1 do
  print((grad(g[i], x, {retain_graph = true})))
end
local m = torch.tensor({{2.0, 1.0}, {1.0, 3.0}}, {requires_grad = true})
local q = x:matmul(m:matmul(x))
g = grad(q, x, {create_graph = true})
print(g)
local row = grad(g[0], {x, m})
print(row)
