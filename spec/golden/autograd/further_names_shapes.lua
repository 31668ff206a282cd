-- The names of gradient functions of views and joins: further operators.
local torch = require "torch"
local x = torch.ones(2, 3, {requires_grad = true})
local function name(y) print(y.grad_fn:name()) end
name(x:flip(0))
name(x:masked_fill(x:gt(0), 1))
name(x:index_select(0, torch.tensor{0}))
name(x:gather(0, torch.tensor{{0, 1, 0}}))
name(x:unflatten(1, {3, 1}))
name(x:movedim(0, 1))
