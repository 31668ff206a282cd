-- ranks: 2 3 4; digits of AVX-512
-- Fifty steps of networks whose gradients are averaged over the ranks, by several choices of buckets. The numbers are sums of bits, so they agree only
-- if every bit does. Layers are small and narrow from one to the next: their products have PyTorch's bits in one process, too.
local torch = require "torch"
local dist, nn = torch.distributed, torch.nn
dist.init_process_group "gloo"
local rank, size = dist.get_rank(), dist.get_world_size()

local function bits(parameters)
  local sum = 0
  for p in parameters do
    local whole = p:detach():contiguous():view(torch.int32):flatten():to(torch.int64)
    sum = sum + (whole * (torch.arange(whole:numel()) % 1009 + 1)):sum():item()
  end
  return sum
end

local function perceptron()
  return nn.Sequential(nn.Linear(16, 10), nn.ReLU(), nn.Linear(10, 6), nn.ReLU(), nn.Linear(6, 4))
end

local function convnet()
  return nn.Sequential(nn.Conv2d(1, 3, 2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(12, 4))
end

-- Trains a network on this rank's own samples. Prints the bits of its parameters.
local function train(name, make, shape, options, optimizer)
  torch.manual_seed(7)
  local model = make()
  local ddp = nn.parallel.DistributedDataParallel(model, options)
  local optim = optimizer(ddp:parameters())
  torch.manual_seed(100 + rank)
  for step = 1, 50 do
    local x, y = torch.randn(shape), torch.randint(0, 4, {shape[1]})
    optim:zero_grad()
    local loss = nn.functional.cross_entropy(ddp(x), y)
    loss:backward()
    optim:step()
    if step == 1 or step == 50 then print(name, step, ("%a"):format(loss:item()), bits(model:parameters())) end
  end
  local facts = ddp:_get_ddp_logging_data()
  print(name, "buckets", facts.has_rebuilt_buckets, facts.rebuilt_bucket_sizes, facts.rebuilt_per_bucket_param_indices)
end

local function sgd(parameters) return torch.optim.SGD(parameters, {lr = 0.1, momentum = 0.9}) end
local function decay(parameters) return torch.optim.SGD(parameters, {lr = 0.2, momentum = 0.5, nesterov = true, weight_decay = 0.01}) end

train("mlp", perceptron, {5, 16}, {}, sgd)
train("mlp decay", perceptron, {5, 16}, {}, decay)
train("views", perceptron, {5, 16}, {gradient_as_bucket_view = true}, sgd)
train("static", perceptron, {5, 16}, {static_graph = true}, sgd)
train("unused", perceptron, {5, 16}, {find_unused_parameters = true}, sgd)
train("small buckets", perceptron, {5, 16}, {bucket_cap_mb = 0.0003}, sgd)
train("small views", perceptron, {5, 16}, {bucket_cap_mb = 0.0001, gradient_as_bucket_view = true}, sgd)
train("convnet", convnet, {3, 1, 5, 5}, {}, sgd)
train("convnet views", convnet, {3, 1, 5, 5}, {gradient_as_bucket_view = true, static_graph = true}, decay)
dist.destroy_process_group()
