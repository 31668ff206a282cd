-- Gradients of reductions: further operators.
local torch = require "torch"
local x = torch.tensor({{1.0, 5.0, 3.0}, {4.0, 2.0, 6.0}}, {requires_grad = true})
local function show(y)
  print((torch.autograd.grad(y, x)))
end
show(x:sum{dim = 1, keepdim = true}:prod())
show(x:amax(1):sum())
show(x:prod())
show(x:std())
show(x:var(1):sum())
show(x:norm())
show(x:logsumexp(0):sum())
show(x:cumsum(1):sum())
