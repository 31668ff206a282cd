-- Batches made by a function.
local torch = require "torch"
local data = torch.utils.data
local set = data.TensorDataset(torch.arange(5), torch.arange(5) * 2)
local function collate(samples)
  local sum = 0
  for _, sample in ipairs(samples) do sum = sum + sample[1] + sample[2] end
  return sum, torch.tensor(#samples)
end
for sum, n in data.DataLoader(set, {batch_size = 2, collate_fn = collate}) do print(sum, n) end
for x in data.DataLoader(set, {batch_size = 2, collate_fn = function(samples) return samples[1][2] end}) do print(x) end
