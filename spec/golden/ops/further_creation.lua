-- Tensors made from nothing: further operators.
local torch = require "torch"
print(torch.linspace(0, 1, 5), torch.linspace(-1, 1, {steps = 3}), torch.linspace(5, 1, 3), torch.logspace(0, 2, 3), torch.linspace(0, 1, 1))
print(torch.as_tensor{1, 2}, torch.Tensor{1, 2}, torch.Tensor(2, 0).shape, torch.FloatTensor{3}, torch.LongTensor{4, 5})
print(torch.tril(torch.ones(3, 3)), torch.nn.functional.one_hot(torch.tensor{0, 2}, 3))
print(torch.ones(2):new_ones(3), torch.ones(2):new_zeros({2, 2}), torch.ones(2):new_empty(0))
for _, g in ipairs(torch.meshgrid(torch.tensor{1, 2}, torch.tensor{3, 4, 5}, {indexing = "ij"})) do print(g) end
