-- set_printoptions{linewidth}.
local torch = require "torch"
torch.set_printoptions{linewidth = 40}
print(torch.arange(20))
print(torch.ones(2, 10))
print(torch.zeros(6, {dtype = torch.float64}))
torch.set_printoptions{linewidth = 120}
print(torch.arange(40))
torch.set_printoptions{profile = "default"}
print(torch.arange(30))
