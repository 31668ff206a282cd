-- Gradients of reductions.
local torch = require "torch"
local x = torch.tensor({{1.0, 5.0, 3.0}, {4.0, 2.0, 6.0}}, {requires_grad = true})
local function show(y)
  print((torch.autograd.grad(y, x)))
end
show(x:sum())
show(x:sum(0)[1])
show(x:mean())
show(x:mean(1)[0])
show(x:max())
show(x:min())
show((x:max(1)):sum())
show((x:min(0)):sum())
