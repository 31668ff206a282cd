-- Views print what they see.
local torch = require "torch"
local x = torch.arange(12):reshape(3, 4)
print(x.T)
print(x[":, 1"])
print(x["::2, ::3"])
print(torch.arange(3):expand(2, 3))
print(x:flip(0))
print(torch.tensor(5):expand(2, 2))
print(x:t()[1])
