-- Mistakes with data sets and loaders.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local data = torch.utils.data
local set = data.TensorDataset(torch.arange(5), torch.arange(5))
mistake(data.TensorDataset, torch.ones(3), torch.ones(4))
mistake(function() return set[5] end)
mistake(data.random_split, set, {2, 2})
mistake(data.random_split, set, {0.5, 0.6})
mistake(data.random_split, set, {3, 3})
mistake(data.DataLoader, set, {batch_size = 0})
mistake(data.DataLoader, set, {batch_size = -2})
mistake(data.DataLoader, set, {num_workers = -1})
mistake(data.DataLoader, set, {shuffle = true, sampler = data.SequentialSampler(set)})
mistake(data.DataLoader, set, {batch_sampler = data.BatchSampler(data.SequentialSampler(set), 2, false), batch_size = 3})
mistake(data.RandomSampler, set, {num_samples = 0})
mistake(data.RandomSampler, set, {replacement = 3})
mistake(data.WeightedRandomSampler, {1, 2}, 0)
mistake(data.DataLoader, data.TensorDataset(torch.zeros(0)), {shuffle = true})
mistake(function()
  for _ in data.DataLoader(data.Subset(set, {0, 9})) do end
end)
