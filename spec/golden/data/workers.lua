-- cpu only: hands tensors to threads, which are to be on the CPU
local torch = require "torch"
local data = torch.utils.data
torch.manual_seed(3)
local set = data.TensorDataset(torch.arange(20):reshape(10, 2), torch.arange(10) * 0.5)
local loader = data.DataLoader(set, {batch_size = 3, shuffle = true, num_workers = 2})
for epoch = 1, 2 do
  for x, y in loader do print(x, y) end
end
print(torch.rand(2))

local Noise = data.Dataset:extend "Noise"
function Noise:init(n) self.n = n end
function Noise:__len() return self.n end
function Noise:getitem(i) return torch.rand(2), i, torch.utils.data.get_worker_info().id end
for x, i, id in data.DataLoader(Noise(8), {batch_size = 2, num_workers = 2}) do print(x, i, id) end
for x, i, id in data.DataLoader(Noise(7), {batch_size = 2, num_workers = 1, prefetch_factor = 1, drop_last = true}) do print(x, i, id) end

local persistent = data.DataLoader(Noise(4), {batch_size = 2, num_workers = 2, persistent_workers = true, shuffle = true})
for epoch = 1, 2 do
  for x, i, id in persistent do print(x, i, id) end
end
print(torch.rand(2))
local g = torch.Generator():manual_seed(5)
local own = data.DataLoader(set, {batch_size = 4, shuffle = true, num_workers = 2, generator = g, prefetch_factor = 4})
for epoch = 1, 2 do
  for x, y in own do print(x, y) end
end
print(torch.rand(1, {generator = g}))

local Stream = data.IterableDataset:extend "Stream"
function Stream:init(n) self.n = n end
function Stream:iter()
  local info = torch.utils.data.get_worker_info()
  return coroutine.wrap(function()
    for i = info.id, self.n - 1, info.num_workers do coroutine.yield(i) end
  end)
end
for x in data.DataLoader(Stream(11), {batch_size = 2, num_workers = 2}) do print(x) end
for x in data.DataLoader(Stream(5), {batch_size = 2, num_workers = 2, drop_last = true}) do print(x) end

-- NumPy's numbers in a worker: seeded by the loader's seed and the worker's number.
local np = require "torch.numpy"
local Arrays = data.Dataset:extend "Arrays"
function Arrays:__len() return 4 end
function Arrays:getitem() return torch.tensor{np.random.rand(), np.random.randint(1000) + 0.0} end
torch.manual_seed(5)
for x in data.DataLoader(Arrays(), {num_workers = 2}) do print(x) end
