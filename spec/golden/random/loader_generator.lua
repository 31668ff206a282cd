-- A loader with its own generator.
local torch = require "torch"
local data = torch.utils.data
torch.manual_seed(0)
local g = torch.Generator()
g:manual_seed(5)
local loader = data.DataLoader(data.TensorDataset(torch.arange(9)), {batch_size = 3, shuffle = true, generator = g})
for epoch = 1, 2 do
  for x in loader do print(epoch, x) end
end
print(torch.rand(1))
print(torch.rand(1, {generator = g}))
