-- What dtype a new tensor has.
local torch = require "torch"
print(torch.tensor(1).dtype, torch.tensor(1.0).dtype, torch.tensor(true).dtype, torch.tensor{}.dtype)
print(torch.tensor{1, 2}.dtype, torch.tensor{1, 2.0}.dtype, torch.tensor{true, 2}.dtype, torch.tensor{true, 2.5}.dtype)
print(torch.tensor{true, 2}, torch.tensor{{1, 2.5}, {3, 4}})
print(torch.arange(3).dtype, torch.arange(3.0).dtype, torch.arange(0, 3).dtype, torch.arange(0, 3, 0.5).dtype, torch.arange(0, 3.0).dtype)
print(torch.full({2}, 1).dtype, torch.full({2}, 1.0).dtype, torch.full({2}, true).dtype, torch.full({2}, 1, {dtype = torch.float64}).dtype)
print(torch.linspace(0, 1, 3).dtype, torch.linspace(0, 10, 3), torch.eye(2).dtype, torch.zeros(1).dtype, torch.ones(1).dtype)
print(torch.randint(3, {1}).dtype, torch.randperm(3).dtype, torch.rand(1).dtype, torch.empty(1).dtype)
print(torch.full_like(torch.arange(2), 2.7), torch.ones_like(torch.tensor{true}), torch.zeros_like(torch.ones(1):double()))
print(torch.zeros_like(torch.ones(2), {dtype = torch.int64}), torch.tensor({1.7, -1.7}, {dtype = torch.int64}))
print(torch.tensor{torch.tensor(1), torch.tensor(2)}, torch.tensor(torch.ones(2)).dtype)
print(torch.ones(2, {dtype = torch.int64}):new_zeros(2).dtype, torch.ones(2):new_tensor{1, 2}.dtype, torch.ones(2):double():new_full({1}, 3))
