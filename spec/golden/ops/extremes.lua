-- max, min, argmax, argmin and ties.
local torch = require "torch"
local x = torch.tensor{{3.0, 1.0, 3.0}, {0.0, 5.0, 5.0}}
print(x:max(), x:min(), torch.max(x), torch.min(x))
local values, indices = x:max(1)
print(values, indices)
values, indices = torch.min(x, {dim = 0})
print(values, indices)
values, indices = x:max{dim = 1, keepdim = true}
print(values, indices)
print(x:argmax(), x:argmin(), x:argmax(0), x:argmax(1), x:argmax{dim = 1, keepdim = true}, x:argmin{dim = -1}, torch.argmax(x, {dim = 0}))
local nan = torch.cat{torch.tensor{1.0}, torch.tensor{0.0} / 0, torch.tensor{2.0}}
print(nan:max(), nan:min(), nan:argmax(), nan:argmin(), nan:sum())
print(torch.tensor{2, 7, 7, 1}:max(), torch.tensor{2, 7, 7, 1}:argmax(), torch.tensor{true, false}:max())
print(x:amax(), x:amin(0), x:amax{dim = 1, keepdim = true})
print(torch.max(x, torch.tensor(2.0)), torch.min(x, x.T:reshape(2, 3)))
print(torch.aminmax(x))
