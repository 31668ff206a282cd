-- batch_size and drop_last.
local torch = require "torch"
local data = torch.utils.data
local set = data.TensorDataset(torch.arange(7), torch.arange(7) % 2)
for _, options in ipairs{{}, {batch_size = 3}, {batch_size = 3, drop_last = true}, {batch_size = 10}, {batch_size = 7}, {batch_size = 10, drop_last = true}} do
  local loader = data.DataLoader(set, options)
  print(#loader, loader.batch_size, #loader.dataset)
  for x, y in loader do print(x, y) end
end
