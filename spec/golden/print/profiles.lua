-- set_printoptions{profile}.
local torch = require "torch"
local x = torch.arange(24.):reshape(4, 6) / 7
torch.set_printoptions{profile = "short"}
print(x)
print(torch.arange(1001))
torch.set_printoptions{profile = "full"}
print(torch.arange(1010.))
torch.set_printoptions{profile = "default"}
print(x)
print(torch.arange(1001))
