-- set_printoptions{threshold, edgeitems}.
local torch = require "torch"
torch.set_printoptions{threshold = 5}
print(torch.arange(5))
print(torch.arange(8))
print(torch.arange(20):reshape(4, 5))
torch.set_printoptions{threshold = 5, edgeitems = 1}
print(torch.arange(20))
print(torch.arange(20.):reshape(4, 5) / 4)
print(torch.arange(27):reshape(3, 3, 3))
torch.set_printoptions{threshold = 5, edgeitems = 2}
print(torch.arange(36):reshape(6, 6))
torch.set_printoptions{profile = "default"}
print(torch.arange(8))
