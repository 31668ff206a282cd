-- softmax and log_softmax: further operators.
local torch = require "torch"
local F = torch.nn.functional
local x = torch.tensor{{1.0, 2.0, 3.0}, {-1.0, 0.0, 4.0}}
print(F.softmin(x, {dim = 1}))
print(torch.logsumexp(x, 1), torch.logsumexp(x, {dim = 0, keepdim = true}))
