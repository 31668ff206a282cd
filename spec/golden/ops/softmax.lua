-- softmax and log_softmax.
local torch = require "torch"
local F = torch.nn.functional
local x = torch.tensor{{1.0, 2.0, 3.0}, {-1.0, 0.0, 4.0}}
print(torch.softmax(x, 1))
print(torch.softmax(x, {dim = 0}))
print(x:softmax(-1))
print(F.softmax(x, {dim = 1}))
print(F.softmax(x[0], {dim = 0}))
print(x:log_softmax(1))
print(F.log_softmax(x, {dim = 0}))
print(torch.log_softmax(x, {dim = 1, dtype = torch.float64}))
print(torch.softmax(torch.tensor{0.0, -math.huge, 0.0}, 0))
print(torch.softmax(torch.arange(3), {dim = 0, dtype = torch.float32}))
print(F.softmin(x, {dim = 1}))
print(torch.logsumexp(x, 1), torch.logsumexp(x, {dim = 0, keepdim = true}))
