-- float64 networks printed to twelve digits; default dtype; mixed mistakes.
local torch = require "torch"
local nn, optim, F = torch.nn, torch.optim, torch.nn.functional
torch.manual_seed(2024)
local X, y = torch.randn(50, 3, {dtype = torch.float64}), torch.randn(50, 1, {dtype = torch.float64})
local net = nn.Sequential(nn.Linear(3, 12), nn.Sigmoid(), nn.Linear(12, 7), nn.SiLU(), nn.Linear(7, 1)):double()
local opt = optim.SGD(net:parameters(), {lr = 0.05, momentum = 0.9, nesterov = true, weight_decay = 1e-4})
for i = 1, 60 do opt:zero_grad() local loss = F.smooth_l1_loss(net(X), y) loss:backward() opt:step() if i % 15 == 0 then print(torch.format("%.10f", loss)) end end
print(net[4].weight)
torch.set_default_dtype(torch.float64)
local lin = nn.Linear(2, 2, {dtype = torch.float32}) print(lin.weight.dtype, nn.Linear(2, 2).weight.dtype, torch.rand(2), torch.tensor(1.5).dtype, torch.randn(2))
torch.set_default_dtype(torch.float32)
print(nn.Linear(2, 2).weight, torch.rand(2))
local w = torch.randn(3, 2, {requires_grad = true}) local v = torch.randn(2, {dtype = torch.float64})
print(pcall(function() return w:matmul(v) end) == false)
local x = torch.randint(0, 2, {4, 3}):float() local z = torch.logit(torch.rand(4, 3)) print(F.binary_cross_entropy_with_logits(z, x), F.binary_cross_entropy(z:sigmoid(), x), F.binary_cross_entropy_with_logits(z, x, {reduction = "none"}))
print(F.nll_loss(F.log_softmax(z, 1), torch.tensor{0, 2, 1, 1}), F.cross_entropy(z, x / (x:sum(1, true) + 1e-9)), F.kl_div(z:log_softmax(1), z:softmax(1), {reduction = "batchmean"}))
print(F.one_hot(torch.tensor{0, 2, 1}, 4), F.softmax(z, {dim = -1}):sum(1), F.mse_loss(z, x), F.l1_loss(z, x), F.huber_loss(z, x))
