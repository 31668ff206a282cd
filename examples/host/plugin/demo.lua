-- demo.lua: scripts call the operator as they call those of torch.
local torch = require "torch"
require "smooth"
local smooth = torch.ops.signal.smooth

local x = torch.tensor({0, 0, 8, 0, 0, 0}, {dtype = torch.float32, requires_grad = true})
local y = smooth(x)
print(y)
y[-1]:backward()
print(x.grad)
print(smooth(torch.ones(2, 3), {weight = 0.25}))
print(pcall(smooth, 7))
print(pcall(smooth, x, 2))
