-- Tensors of the meta device have no numbers to print.
local torch = require "torch"
print(torch.ones(2, 3, {device = "meta"}))
print(torch.zeros(4, {device = "meta", dtype = torch.int64}))
print(torch.zeros(4, {device = "meta", dtype = torch.float64}))
print(torch.tensor(1.0, {device = "meta"}))
print(torch.ones(2, {device = "meta", requires_grad = true}))
print(torch.ones(2, {device = "meta", requires_grad = true}) * 2)
print(torch.zeros(0, 3, {device = "meta"}))
print(torch.ones(2, {device = "meta"}).device)
print(torch.ones(2, 3, {device = "meta"}):matmul(torch.ones(3, 5, {device = "meta"})).shape)
