-- digits.lua: several processes learn to read handwritten digits together: each has its part of the data, and gradients are averaged
-- while backward runs.
--
--   tocha --nproc 2 examples/distributed/digits.lua [epochs]
local torch = require "torch"
local nn, optim, data, dist = torch.nn, torch.optim, torch.utils.data, torch.distributed

dist.init_process_group "gloo"
local rank, size = dist.get_rank(), dist.get_world_size()
local epochs = tonumber(arg and arg[1]) or 10

torch.manual_seed(42)   -- the same split and the same model on all ranks
local train, test = data.random_split(torch.datasets.Digits(), {1500, 297})
local sampler = data.DistributedSampler(train)
local train_loader = data.DataLoader(train, {batch_size = 64 // size, sampler = sampler})
local test_loader = data.DataLoader(test, {batch_size = 297})

local model = nn.Sequential(nn.Flatten(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
local ddp = nn.parallel.DistributedDataParallel(model)
local optimizer = optim.Adam(ddp:parameters(), {lr = 2e-3})
local loss_fn = nn.CrossEntropyLoss()

local function train_epoch(epoch)
  sampler:set_epoch(epoch)   -- another order
  local total = torch.zeros(1)
  for images, labels in train_loader do
    local loss = loss_fn(ddp(images), labels)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    total = total + loss:detach()
  end
  dist.all_reduce(total, dist.ReduceOp.AVG)
  return total:item() / #train_loader
end

local function accuracy()
  local _ <close> = torch.no_grad()
  local correct = 0
  for images, labels in test_loader do correct = correct + model(images):argmax{dim = 1}:eq(labels):sum():item() end
  return correct / #test
end

for epoch = 1, epochs do
  local loss = train_epoch(epoch)
  if rank == 0 then print(("epoch %2d  loss %.4f  accuracy %5.1f%%"):format(epoch, loss, 100 * accuracy())) end
end
dist.destroy_process_group()
