-- Tensors made from nothing.
local torch = require "torch"
print(torch.zeros(2, 3), torch.zeros({2, 3}), torch.zeros{size = {2, 3}}, torch.ones(2), torch.empty(2, 0))
print(torch.full({2, 2}, 3.5), torch.full({}, 7), torch.eye(3), torch.eye(2, 3), torch.zeros({}))
print(torch.arange(5), torch.arange(1, 10, 3), torch.arange(5, 0, -2), torch.arange(0, 1, 0.25), torch.arange{start = 2, stop = 4})
print(torch.arange(1.5, 4), torch.arange(0, -3, -1), torch.arange(3, {dtype = torch.float64}))
print(torch.zeros_like(torch.ones(2, 2)), torch.ones_like(torch.arange(3)), torch.full_like(torch.ones(2), 4), torch.empty_like(torch.ones(0)))
print(torch.tensor{{1, 2}, {3, 4}}, torch.tensor({1, 2}, {dtype = torch.float32}), torch.tensor{1, 2, 3}.shape)
print(torch.linspace(0, 1, 5), torch.linspace(-1, 1, {steps = 3}), torch.linspace(5, 1, 3), torch.logspace(0, 2, 3), torch.linspace(0, 1, 1))
print(torch.as_tensor{1, 2}, torch.Tensor{1, 2}, torch.Tensor(2, 0).shape, torch.FloatTensor{3}, torch.LongTensor{4, 5})
print(torch.tril(torch.ones(3, 3)), torch.nn.functional.one_hot(torch.tensor{0, 2}, 3))
print(torch.ones(2):new_ones(3), torch.ones(2):new_zeros({2, 2}), torch.ones(2):new_empty(0))
for _, g in ipairs(torch.meshgrid(torch.tensor{1, 2}, torch.tensor{3, 4, 5}, {indexing = "ij"})) do print(g) end
