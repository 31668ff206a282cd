-- Names of the gradient functions of activations, running sums and sorts.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional
local x = torch.ones(2, 3, {requires_grad = true})
local w, b = torch.ones(4, 3, {requires_grad = true}), torch.ones(4, {requires_grad = true})
local function name(y) print(y.grad_fn:name()) end
name(nn.Sigmoid()(x))
name(nn.Tanh()(x))
name(x:amax(1))
name(x:cumsum(0))
name(x:logsumexp(1))
name((x:sort()))
name((x:topk(2)))
