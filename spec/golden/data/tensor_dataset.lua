-- A TensorDataset zips tensors.
local torch = require "torch"
local data = torch.utils.data
local set = data.TensorDataset(torch.arange(6.):reshape(3, 2), torch.tensor{0, 1, 2})
print(#set)
local item = set[0]
print(item[1], item[2], #item)
print(set[-1][1], set[2][2])
print(#data.TensorDataset(torch.arange(4)), data.TensorDataset(torch.arange(4))[3][1])
print(#set.tensors, set.tensors[2])
