-- float16 and bfloat16.
local torch = require "torch"
print(torch.tensor({0.1, 0.2, 0.3}, {dtype = torch.float16}))
print(torch.tensor({0.1, 0.2, 0.3}, {dtype = torch.bfloat16}))
print(torch.tensor({1.0, 2.0, 3.0}, {dtype = torch.bfloat16}))
print(torch.tensor({1000.0, 0.5}, {dtype = torch.float16}))
print(torch.tensor({3.140625, -2.71875}, {dtype = torch.bfloat16}))
print(torch.tensor(0.1, {dtype = torch.bfloat16}))
print(torch.tensor({{1.5, 2.5}, {-3.5, 4.5}}, {dtype = torch.float16}))
print(torch.tensor({1e-7, 1.0}, {dtype = torch.float16}))
