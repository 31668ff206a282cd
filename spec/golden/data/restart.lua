-- A loader may be left early, restarted and nested.
local torch = require "torch"
local data = torch.utils.data
local loader = data.DataLoader(data.TensorDataset(torch.arange(4)), {batch_size = 2})
for x in loader do print("first", x) break end
for x in loader do print("again", x) end
for x in loader do
  for y in loader do print(x, y) end
end
torch.manual_seed(0)
local shuffled = data.DataLoader(data.TensorDataset(torch.arange(4)), {batch_size = 2, shuffle = true})
for x in shuffled do
  for y in shuffled do print(x, y) end
end
for x in shuffled do print(x) break end
for x in shuffled do print(x) end
