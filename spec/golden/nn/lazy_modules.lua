-- Modules that learn the size of their input, and copies of modules.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(4)
local net = nn.Sequential(nn.LazyConv2d(4, 3), nn.ReLU(), nn.LazyBatchNorm2d(), nn.Flatten(), nn.LazyLinear(2))
print(net)
print(net(torch.ones(2, 1, 4, 4)).shape)
print(net)
for name, p in net:named_parameters() do print(name, p.shape, torch.format("%.4f", p:sum())) end
print(nn.LazyLinear(3, {bias = false}), nn.LazyConvTranspose1d(2, 3, {stride = 2}), nn.LazyInstanceNorm1d())
local loss = nn.TripletMarginWithDistanceLoss{margin = 0.5}
print(loss, loss(torch.ones(2, 3), torch.zeros(2, 3), torch.ones(2, 3)))
local adaptive = nn.AdaptiveLogSoftmaxWithLoss(4, 10, {2, 5})
local out, mean = adaptive(torch.ones(3, 4), torch.tensor{0, 3, 9})
print(adaptive, torch.format("%.4f %.4f", out:sum(), mean))
print(adaptive:log_prob(torch.ones(1, 4)):exp():sum(), adaptive:predict(torch.ones(1, 4)).shape)
