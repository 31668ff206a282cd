-- squeeze and unsqueeze.
local torch = require "torch"
local x = torch.arange(3):reshape(1, 3, 1)
print(x:squeeze().shape, x:squeeze(0).shape, x:squeeze(1).shape, x:squeeze(-1).shape)
print(x:squeeze{dim = 2}.shape, x:squeeze({0, 2}).shape, torch.squeeze(x).shape)
print(x:unsqueeze(0).shape, x:unsqueeze(-1).shape, x:unsqueeze(2).shape, x:unsqueeze{dim = 1}.shape)
print(torch.unsqueeze(torch.tensor(4), 0), torch.tensor{{5}}:squeeze())
local y = torch.zeros(1, 2)
y:squeeze()[0] = 3
print(y)
y:unsqueeze_(0)
print(y.shape)
y:squeeze_()
print(y.shape)
y = torch.arange(6):reshape(2, 3)
y:t_()
print(y)
y:transpose_(0, 1)
print(y)
