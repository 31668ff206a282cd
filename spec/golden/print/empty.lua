-- Tensors without elements.
local torch = require "torch"
print(torch.tensor{})
print(torch.zeros(0))
print(torch.zeros(0, 3))
print(torch.zeros(3, 0))
print(torch.zeros(2, 0, 4))
print(torch.zeros(0, {dtype = torch.int64}))
print(torch.zeros(0, 2, {dtype = torch.int32}))
print(torch.zeros(0, {requires_grad = true}))
print(torch.zeros(1, 0, {dtype = torch.float64}))
print(torch.arange(0))
print(torch.empty(0):sum())
