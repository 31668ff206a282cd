-- A shuffling loader takes its order from the global generator.
local torch = require "torch"
local data = torch.utils.data
torch.manual_seed(0)
local loader = data.DataLoader(data.TensorDataset(torch.arange(10), torch.arange(10) * 10), {batch_size = 4, shuffle = true})
for epoch = 1, 3 do
  for x, y in loader do print(epoch, x, y) end
end
print(torch.rand(1))
for x in data.DataLoader(data.TensorDataset(torch.arange(4))) do print(x) end
print(torch.rand(1))
