-- enumerate counts from 0.
local torch = require "torch"
local data = torch.utils.data
local loader = data.DataLoader(data.TensorDataset(torch.arange(5), torch.arange(5) + 10), {batch_size = 2})
for i, x, y in loader:enumerate() do print(i, x, y) end
for i, x in loader:enumerate() do
  if i == 1 then print("left at", i, x) break end
end
for i, x in loader:enumerate() do print(i, x) end
