-- cpu only: arrays are on the CPU
-- Arrays of numbers that share their memory.
local torch = require "torch"
local np = require "torch.numpy"
local t = torch.ones(3)
local a = t:numpy()
t:add_(1)
print(a, a.dtype, a.shape)
local array = np.arange(1.0, 4.0)
local b = torch.from_numpy(array)
print(b, array + 1, array * 2)
print(torch.tensor{{1, 2}, {3, 4}}:numpy())
print(torch.tensor{true, false}:numpy())
print(torch.zeros(2, 2):numpy().shape)
