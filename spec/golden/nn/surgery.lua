-- set_submodule, to_empty, SyncBatchNorm in one process.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(0)
local net = nn.Sequential(nn.Sequential(nn.Linear(2, 3), nn.ReLU()), nn.BatchNorm1d(3))
net:set_submodule("0.1", nn.Tanh())
net:set_submodule("1", nn.Identity(), true)
print(net)
local function message(f, ...) return select(2, pcall(f, ...)).message end
print(message(net.set_submodule, net, "", nn.ReLU()))
print(message(net.set_submodule, net, "0.0.weight", nn.ReLU()))
print(message(net.set_submodule, net, "1", torch.ones(1)))
print(message(net.set_submodule, net, "1", "x"))
local meta = nn.Sequential(nn.Linear(2, 3, {device = "meta"}), nn.BatchNorm1d(3, {device = "meta"}))
print(meta:to_empty{device = "cpu"}[0].weight.device, meta[1].running_mean.shape, meta[0].weight.requires_grad)

local sync = nn.SyncBatchNorm(3)
print(sync)
local x = torch.randn(2, 3, 4, 5)
local plain = nn.BatchNorm2d(3)
print(torch.allclose(sync(x), plain(x)), torch.allclose(sync.running_var, plain.running_var), sync(torch.randn(4, 3)).shape)
print(sync:eval()(x):sum())
print(message(sync.forward, sync, torch.randn(3)))
local made = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2, {eps = 1e-3}), nn.Sequential(nn.BatchNorm1d(4)))
made = nn.SyncBatchNorm.convert_sync_batchnorm(made)
print(made)
for name in pairs(made:state_dict()) do print(name) end
