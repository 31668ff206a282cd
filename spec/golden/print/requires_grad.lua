-- requires_grad and grad_fn stand after the numbers.
local torch = require "torch"
print(torch.tensor({1.0, 2.0}, {requires_grad = true}))
local x = torch.ones(2, 2, {requires_grad = true})
print(x)
print(x + 1)
print(x * 2)
print((x * 2):sum())
print(x:mean())
print(x[0])
print(x:detach())
print(x:view(4))
print((x:exp():sum()))
print(torch.no_grad(function() return x * 3 end))
