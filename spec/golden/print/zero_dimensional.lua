-- Tensors without dimensions.
local torch = require "torch"
print(torch.tensor(7))
print(torch.tensor(-7))
print(torch.tensor(7.0))
print(torch.tensor(-0.5))
print(torch.tensor(0.0))
print(torch.tensor(1e-7))
print(torch.tensor(1e10))
print(torch.tensor(123456.789))
print(torch.tensor(0.1, {dtype = torch.float64}))
print(torch.tensor(3, {dtype = torch.uint8}))
print(torch.tensor(3.0, {requires_grad = true}))
print(torch.tensor(3.14159):to(torch.float16))
